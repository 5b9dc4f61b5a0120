// Gives the entries of a session of Claude Code, each read from its lines when its turn comes.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/exchange/importers/anthropic_blocks.h"
#include "core/exchange/importers/claude_text.h"
#include "core/exchange/importers/claude_tree.h"
#include "core/exchange/importers/format.h"
#include "core/exchange/importers/receiver.h"
#include "core/exchange/importers/record_reader.h"

namespace skein::exchange::importers {

class ClaudeEntries {
 public:
  // All of them must outlive this. `spilled`: the folder of outputs that were too long for a line.
  ClaudeEntries(const SourceFile& file, ClaudeIndex& index, const ClaudeTree& tree,
                const ReadOptions& options, Receiver& receiver, std::string spilled);

  void give(const ForeignSession& session, const std::vector<std::uint32_t>& units);

 private:
  enum class State : std::uint8_t { elsewhere, fresh, waiting, done };
  struct Given {
    State state = State::elsewhere;  // than in the session that is given
    bool said = false;               // a message or a payload, where a session may stand
    std::uint32_t entry = 0;         // what its children follow, as a name of the index; 0: nothing
  };

  void give_with_parents(std::uint32_t unit);
  void give_unit(std::uint32_t unit);
  void give_user(std::uint32_t unit);
  void give_context(std::uint32_t unit);
  void give_attachment(std::uint32_t unit, const Json& attachment);
  void give_answer(std::uint32_t unit);
  void give_results(std::uint32_t unit);
  void give_compaction(std::uint32_t unit);
  std::optional<Id> first_kept(std::uint32_t unit, const Json& metadata);
  bool comes_before(std::uint32_t earlier, std::uint32_t unit);

  void add_result(std::uint32_t unit, model::Message& message, model::ToolResult result);
  void keep_spilled(model::ToolResult& result);
  void add(std::uint32_t unit, ForeignEntry entry);
  void add_prompt(std::uint32_t unit, std::string id, std::vector<model::Block> blocks);
  std::uint32_t parent_of(std::uint32_t unit) const;
  ForeignEntry entry_of(std::uint32_t unit) const;
  void set_raw(ForeignEntry& entry, const std::vector<std::string>& records) const;
  Json body(const ClaudeLine& line);
  std::string text_of(std::uint32_t line);
  std::string_view record(const ClaudeLine& line);
  std::string leaf(const std::vector<std::uint32_t>& units) const;

  ClaudeIndex& index_;
  const ClaudeTree& tree_;
  const ReadOptions& options_;
  Receiver& receiver_;
  const std::string spilled_;
  RecordReader reader_;
  AnthropicBlocks blocks_;
  std::vector<Given> given_{};
  std::unordered_map<std::uint32_t, std::deque<std::string>> nameless_calls_{};  // by unit
  std::unordered_set<std::string> answered_{};  // calls, by the results that are given
  std::string session_{};
  std::uint32_t previous_ = 0;           // the entry given last
  std::size_t steps_left_ = 50'000'000;  // for looking whether something comes before something
};

}  // namespace skein::exchange::importers
