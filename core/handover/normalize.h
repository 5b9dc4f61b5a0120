// Prepares a conversation for a model, whichever models wrote it: no server refuses the result.
// Pure; the transcript itself is never changed.
#pragma once

#include "core/handover/target.h"
#include "core/model/message.h"

namespace skein::handover {

// The result given to a call that has none.
inline constexpr std::string_view interrupted_text = "interrupted: no result was recorded";

// The messages as `target` may see them. The first is the user's, roles follow each other, every
// call is answered exactly once and directly after, in ONE tool message in the order of the calls;
// nothing is blank, every id fits and is unique. tests/support/handover_rules says it rule by rule.
//
// Only what a request needs comes out: role and content. Assistant messages bear the
// target's name, since what is left in them is fit for it. Empty if nothing was said.
//
// Idempotent (but for signatures that stand in for missing ones: a second pass would take every
// call for the target's own), linear, and stable: appending a complete turn (a user message, then
// replies and the results of their calls) changes nothing that came out before, except that a user
// message at the very end is joined by the next one. So prompt caches stay valid.
std::vector<model::Message> normalize(const std::vector<model::Message>& messages,
                                      const Target& target);

// Ids of tool calls, fitted to a target: one map for a whole transcript, so that no two calls
// share an id, whichever model made them.
class ToolIds {
 public:
  explicit ToolIds(IdRule rule) : rule_(rule) {}

  // The id for the next call. It depends only on this call's id and on the calls before it, so
  // what was sent earlier stays as it was. An id that fits and is free is kept.
  std::string next(const std::string& original);

 private:
  std::string fitted(std::string_view original) const;
  std::string marked(std::string_view stem, std::uint64_t hash) const;

  IdRule rule_;
  std::unordered_set<std::string> taken_{};
  std::unordered_map<std::string, std::uint64_t> tries_{};  // keeps a thousand equal ids linear
};

}  // namespace skein::handover
