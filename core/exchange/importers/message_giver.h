// Gives messages one after the other, as programs keep them that write down what they sent to
// Anthropic: results stand in messages of the user, beside words and what nobody typed.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/exchange/importers/anthropic_blocks.h"
#include "core/exchange/importers/receiver.h"
#include "core/model/message.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

class MessageGiver {
 public:
  // Where a message stands. Without a parent that is known, it follows the one before it.
  struct Place {
    std::string id{};
    std::string parent{};
    std::string time{};
    JsonText raw{};
  };

  // `receiver` must outlive this.
  explicit MessageGiver(Receiver& receiver) : receiver_(receiver) {}

  // Words, results and contexts of the user's side.
  void user(Place place, std::vector<model::Block> blocks);
  // Of an answer without a reason to stop one is found.
  void answer(Place place, model::Message message);
  void compaction(Place place, std::string summary);
  void context(Place place, ForeignContext context);
  // For programs that do not keep results: says so to every call that has none.
  void make_up_results();
  // Ends the session where the last message stands.
  void finish();

 private:
  void results(const Place& place, std::vector<model::ToolResult> found);
  void give_results();
  std::string parent_of(const Place& place) const;
  bool is_new(Place& place);
  void add(ForeignEntry entry);

  Receiver& receiver_;
  std::string current_{};
  std::unordered_map<std::string, std::string> given_{};  // the entry that each id is part of
  std::deque<std::string> open_calls_{};                  // of the answer before
  std::optional<ForeignEntry> waiting_{};                 // results, of which more may come
};

}  // namespace skein::exchange::importers
