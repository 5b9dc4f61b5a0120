// Content blocks as Anthropic's API has them, and as the programs around it write them down, as
// ours. What others sealed is never ours to send: of thinking the text stays, without a signature.
#pragma once

#include "core/import/source/foreign_json.h"

namespace skein::importers {

class AnthropicBlocks {
 public:
  // `receiver` keeps the images, and must outlive this.
  explicit AnthropicBlocks(Receiver& receiver) : receiver_(receiver) {}

  // A string, or blocks. Empty texts and thinking of which only the sealed form is there are left
  // out. `calls_named`: what calls without an id are called, with a number behind it.
  std::vector<model::Block> content(const Json& json, std::string_view calls_named);
  std::vector<model::ResultBlock> result_content(const Json& json);

  // Whether something that was read since this was asked last has no place in our blocks.
  bool take_left_out();

 private:
  void add(std::vector<model::Block>& out, const Json& json, std::string_view calls_named);
  void add_file(std::vector<model::Block>& out, const Json& json);

  Receiver& receiver_;
  bool left_out_ = false;
};

model::Usage anthropic_usage(const Json& usage);
// Stop::none: it does not say.
model::Stop anthropic_stop(std::string_view reason);

// The kind of a text among the user's words that the user did not type, as Claude Code and its
// relatives mark it; empty: the user typed it.
std::string_view claude_context(std::string_view text);

// The user's words, and what stood between them.
struct ClaudePrompt {
  std::vector<model::Block> content{};
  std::vector<ForeignContext> contexts{};
};
ClaudePrompt divided(std::vector<model::Block> blocks);

// Gives messages one after the other, as programs keep them that write down what they sent to
// Anthropic: messages of the user hold results, the user's words and texts that the user did not
// type. Each message comes with an entry that has no content yet; without a known parent it
// follows the one before it.
class MessageGiver {
 public:
  // `receiver` must outlive this.
  explicit MessageGiver(Receiver& receiver) : receiver_(receiver) {}

  // Words, results and contexts of the user's side.
  void user(ForeignEntry entry, std::vector<model::Block> blocks);
  // Of an answer without a reason to stop one is found.
  void answer(ForeignEntry entry, model::Message message);
  // A compaction or a context, behind the message before.
  void insert(ForeignEntry entry);
  // For programs that do not keep results: says so to every call that has none.
  void make_up_results();
  // Ends the session at the last message.
  void finish();

 private:
  void results(const ForeignEntry& entry, std::vector<model::ToolResult> found);
  void give_results();
  std::string parent_of(const ForeignEntry& entry) const;
  bool is_new(const ForeignEntry& entry);
  void add(ForeignEntry entry);

  Receiver& receiver_;
  std::string current_{};
  std::unordered_map<std::string, std::string> given_{};  // the entry that each id is part of
  std::deque<std::string> open_calls_{};                  // of the answer before
  std::optional<ForeignEntry> waiting_{};                 // results, of which more may come
};

}  // namespace skein::importers
