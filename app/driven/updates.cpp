#include "app/driven/updates.h"

namespace skein::app::driven {

namespace delta = model::delta;

Updates::Block& Updates::start(BlockKind kind, const std::string& name,
                               const model::ToolUse& call) {
  blocks_.push_back({.number = blocks_.size(), .kind = kind, .name = name, .call = call.id});
  to_(BlockStarted{blocks_.back().number, kind, call.id, call.name});
  return blocks_.back();
}

// Without a name the last block is meant if it is of this kind and still open, else a new one.
Updates::Block& Updates::block(BlockKind kind, const std::string& name) {
  if (name.empty() && !blocks_.empty() && blocks_.back().kind == kind && blocks_.back().open)
    return blocks_.back();
  for (Block& each : blocks_ | std::views::reverse)
    if (!name.empty() && each.kind == kind && each.name == name) return each;
  return start(kind, name, {});
}

void Updates::end_blocks(const std::string& name, bool all) {
  for (Block& each : blocks_) {
    const bool meant = all || (name.empty() ? &each == &blocks_.back() : each.name == name);
    if (meant && std::exchange(each.open, false)) to_(BlockEnded{each.number});
  }
}

void Updates::stream(const model::Delta& delta) {
  const auto piece = [&](BlockKind kind, const std::string& name, const std::string& text) {
    if (text.empty()) return;  // some servers begin a block with a piece of nothing
    const Block& in = block(kind, name);
    to_(BlockPiece{in.number, kind, text, in.call});
  };
  if (const auto* text = std::get_if<delta::TextPiece>(&delta))
    piece(BlockKind::text, text->block, text->text);
  if (const auto* thinking = std::get_if<delta::ThinkingPiece>(&delta))
    piece(BlockKind::thinking, thinking->block, thinking->text);
  if (const auto* call = std::get_if<delta::ToolStart>(&delta))
    start(BlockKind::tool_input, call->block, {.id = call->id, .name = call->name});
  if (const auto* input = std::get_if<delta::ToolInput>(&delta))
    piece(BlockKind::tool_input, input->block, input->json_piece);
  if (const auto* end = std::get_if<delta::BlockEnd>(&delta)) end_blocks(end->block, end->all);
}

void Updates::hear(const model::Event& event) {
  if (const auto* streaming = std::get_if<model::Streaming>(&event))
    return stream(streaming->delta);
  if (const auto* committed = std::get_if<model::Committed>(&event)) {
    std::optional<model::Message> message = model::message_of(committed->entry);
    if (message && message->role == model::Role::assistant) end_blocks("", true);
    if (message) blocks_.clear();  // the next answer begins to count again
    return to_(Saved{committed->entry, std::move(message)});
  }
  if (std::holds_alternative<model::Retrying>(event)) blocks_.clear();
  std::visit(
      [this]<class Event>(const Event& each) {
        if constexpr (!std::is_same_v<Event, model::Streaming> &&
                      !std::is_same_v<Event, model::Committed>)
          to_(each);  // an event that is not an Update does not compile
      },
      event);
}

}  // namespace skein::app::driven
