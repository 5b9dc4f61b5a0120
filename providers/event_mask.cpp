#include "providers/event_mask.h"

namespace skein::providers {

namespace delta = model::delta;
using model::Notice, model::Streaming, model::ToolOutput;

void EventMask::operator()(const model::Event& event) {
  if (secrets_.empty()) return sink_(event);
  std::visit([this](const auto& each) { take(each); }, event);
}

void EventMask::feed(Kind kind, const std::string& name, std::string_view piece) {
  // Words and thoughts are shown one after the other: what waits of one comes before the next.
  if (kind == Kind::text || kind == Kind::thinking)
    release([&](const Stream& stream) {
      return (stream.kind == Kind::text || stream.kind == Kind::thinking) &&
             (stream.kind != kind || stream.name != name);
    });
  auto stream = std::ranges::find_if(
      streams_, [&](const Stream& each) { return each.kind == kind && each.name == name; });
  if (stream == streams_.end())
    stream = streams_.insert(stream, Stream{kind, name, StreamMask(secrets_)});
  tell(kind, name, stream->mask.feed(piece));
}

void EventMask::tell(Kind kind, const std::string& name, std::string text) {
  if (text.empty()) return;
  switch (kind) {
    case Kind::text: return sink_(Streaming{delta::TextPiece{name, std::move(text)}});
    case Kind::thinking: return sink_(Streaming{delta::ThinkingPiece{name, std::move(text)}});
    case Kind::input: return sink_(Streaming{delta::ToolInput{name, std::move(text)}});
    case Kind::output: return sink_(ToolOutput{name, std::move(text)});
  }
}

void EventMask::release(const std::function<bool(const Stream&)>& which) {
  for (auto stream = streams_.begin(); stream != streams_.end();) {
    const bool over = which(*stream);
    if (over) tell(stream->kind, stream->name, stream->mask.rest());
    stream = over ? streams_.erase(stream) : std::next(stream);
  }
}

void EventMask::release_all() {
  release([](const Stream&) { return true; });
}

void EventMask::take(const Streaming& event) {
  const model::Delta& delta = event.delta;
  if (const auto* text = std::get_if<delta::TextPiece>(&delta))
    return feed(Kind::text, text->block, text->text);
  if (const auto* thinking = std::get_if<delta::ThinkingPiece>(&delta))
    return feed(Kind::thinking, thinking->block, thinking->text);
  if (const auto* input = std::get_if<delta::ToolInput>(&delta)) {
    if (!input->whole) return feed(Kind::input, input->block, input->json_piece);
    std::erase_if(streams_, [&](const Stream& each) {
      return each.kind == Kind::input && each.name == input->block;
    });
    return sink_(Streaming{delta::ToolInput{input->block, masked(input->json_piece), true}});
  }
  if (const auto* failed = std::get_if<delta::Failed>(&delta)) {
    release_all();
    delta::Failed shown = *failed;
    shown.text = masked(failed->text);
    return sink_(Streaming{std::move(shown)});
  }
  if (const auto* end = std::get_if<delta::BlockEnd>(&delta))
    release([&](const Stream& each) {
      return each.kind != Kind::output && (end->all || each.name == end->block);
    });
  if (std::holds_alternative<delta::StopReason>(delta) ||
      std::holds_alternative<delta::Finished>(delta))
    release_all();
  sink_(event);
}

void EventMask::take(const model::ToolStarted& event) {
  release_all();
  model::ToolUse call = event.call;
  call.input = masked(call.input);
  sink_(model::ToolStarted{std::move(call), masked(event.title)});
}

void EventMask::take(const ToolOutput& event) { feed(Kind::output, event.call_id, event.text); }

void EventMask::take(const Notice& event) { sink_(Notice{event.level, masked(event.text)}); }

void EventMask::take(const model::Retrying& event) {
  sink_(model::Retrying{event.attempt, event.wait, masked(event.reason)});
}

}  // namespace skein::providers
