// One session of opencode as entries, told message by message, whatever it was kept in. For .cpp
// files only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/exchange/importers/format.h"
#include "core/exchange/importers/opencode_parts.h"
#include "core/exchange/importers/receiver.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

inline constexpr std::string_view opencode_name = "opencode";

// The session itself, as its file or its row (put into the same form) has it. nullopt: it is none.
std::optional<ForeignSession> opencode_session(const Json& json);

struct OpencodeMessage {
  std::string id{};
  std::int64_t time = 0;
  Json data{};
  std::vector<OpencodePart> parts{};
};

class OpencodeEntries {
 public:
  // `session` must outlive this. `revert`: what the user went back to; null: nothing.
  OpencodeEntries(const ForeignSession& session, const Json& revert, const ReadOptions& options,
                  Receiver& receiver);

  void add(OpencodeMessage message);  // in order
  void finish();                      // ends the session

 private:
  struct Given {  // where an entry comes from
    std::string id{};
    std::int64_t time = 0;
  };

  // Messages are held until it is known whether they are the last.
  void take(const OpencodeMessage& message, bool last);
  void take_by_role(const OpencodeMessage& message, bool last);
  void take_user(const OpencodeMessage& message);
  void take_answer(const OpencodeMessage& message, bool last);
  void take_steps(const OpencodeMessage& message, std::vector<OpencodeStep> steps, bool unfinished);
  void take_summary(const OpencodeMessage& message, const std::vector<OpencodeStep>& steps);

  void give_message(const Given& from, model::Message message, JsonText raw);
  void give_context(const Given& from, std::string label, std::string text);
  void give_payload(const Given& from, model::Payload payload, bool has_children);
  void give(const Given& from, ForeignEntry entry, bool has_children);

  const ForeignSession& session_;
  ReadOptions options_;
  Receiver& receiver_;
  std::string revert_message_{}, revert_part_{};
  std::optional<std::string> leaf_{};  // where it stands, if not at the end
  std::optional<OpencodeMessage> held_{};
  std::string last_{};        // the entry that the next one follows
  std::string tail_start_{};  // of the compaction whose summary comes next
  std::unordered_set<std::string> given_{};
  // The first entry of each message, or the first behind one that has none; those still to come.
  std::unordered_map<std::string, std::string> starts_{};
  std::vector<std::string> starting_{};
};

}  // namespace skein::exchange::importers
