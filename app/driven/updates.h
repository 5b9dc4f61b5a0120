// What happens in a turn, in a form that every client's dialect is written from: blocks of an
// answer by number, saved messages, calls, notices. A new event of the loop is added here once.
#pragma once

#include "core/model/event.h"

namespace skein::app::driven {

enum class BlockKind { text, thinking, tool_input };

// An answer while it streams. It is provisional: after Retrying it begins again.
struct BlockStarted {
  std::size_t number = 0;
  BlockKind kind = BlockKind::text;
  std::string call{}, tool{};  // of a call of a tool
};
struct BlockPiece {
  std::size_t number = 0;
  BlockKind kind = BlockKind::text;
  std::string text{};
  std::string call{};  // that it belongs to; empty: not known
};
struct BlockEnded {
  std::size_t number = 0;
};
// An entry that is on disk.
struct Saved {
  const model::Entry& entry;
  std::optional<model::Message> message{};  // none: it is no message
};

using Update = std::variant<BlockStarted, BlockPiece, BlockEnded, Saved, model::ToolStarted,
                            model::ToolOutput, model::ToolEnded, model::Notice, model::Retrying>;

// Valid only while the receiver runs.
using UpdateSink = std::function<void(const Update&)>;

class Updates {
 public:
  explicit Updates(UpdateSink to) : to_(std::move(to)) {}

  void hear(const model::Event& event);

 private:
  struct Block {
    std::size_t number = 0;
    BlockKind kind = BlockKind::text;
    std::string name{}, call{};
    bool open = true;
  };
  Block& block(BlockKind kind, const std::string& name);
  Block& start(BlockKind kind, const std::string& name, const model::ToolUse& call);
  void end_blocks(const std::string& name, bool all);
  void stream(const model::Delta& delta);

  UpdateSink to_;
  std::vector<Block> blocks_{};  // of the answer that streams
};

}  // namespace skein::app::driven
