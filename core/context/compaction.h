// Replaces older messages by a summary: what to summarize, how to ask for it, and the entry that
// records it. Pure; the agent makes the call. Nothing is erased: moving the head to before the
// entry brings everything back.
#pragma once

#include "core/model/entry.h"
#include "core/model/provider.h"
#include "core/model/tool.h"

namespace skein::context {

struct CompactionPlan {
  std::vector<model::Message> earlier{};  // the messages to summarize
  std::string previous{};                 // the last summary, which the new one replaces
  std::vector<std::string> files_read{}, files_changed{};
  std::string last_prompt{};  // set if the cut is inside the turn it began
  Id first_kept{};
  std::int64_t tokens_before = 0;
  std::int64_t result_bytes = 0;  // kept of each long result that stays; 0: all
  std::size_t shortened = 0;      // results
};

// Keeps the newest turns of about `keep` tokens, or a quarter of all if that is less. The cut is
// before a user's message, inside a turn only if that turn alone is larger, and never between a
// call and its result. nullopt: too little is before the cut to be worth a summary.
std::optional<CompactionPlan> plan_compaction(std::span<const model::Entry> path,
                                              const std::set<Id>& redacted, std::int64_t keep,
                                              const model::Tools& tools);

// What is left out without a summary, so that the rest fits into `room` tokens: the oldest
// messages, see cut_place(); if that is not enough, results are shortened too. `earlier` are the
// messages that go. nullopt: there is nothing to gain.
std::optional<CompactionPlan> plan_cut(std::span<const model::Entry> path,
                                       const std::set<Id>& redacted, std::int64_t room,
                                       const model::Tools& tools);

// One message that asks for the summary, of at most about `room` tokens (0: no limit). If not
// everything fits, it holds the newest part.
model::Context summary_request(const CompactionPlan& plan, std::string_view focus,
                               std::int64_t room);

// A summary made without a model: what was asked, and how each answer began. Its length is bounded:
// only the last lines are kept.
std::string extracted_summary(const CompactionPlan& plan);

struct SummaryAuthor {
  model::ModelRef model{};
  std::optional<model::Usage> usage{};
  double tokens_per_guess = 1;  // from BuiltContext, so that what was learned is kept
};
// For a cut, `summary` is the one that came before, if there is one.
model::Entry compaction_entry(const CompactionPlan& plan, const std::string& summary,
                              const SummaryAuthor& author);

}  // namespace skein::context
