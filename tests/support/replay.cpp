#include "tests/support/replay.h"

namespace skein {

namespace {

std::string cut(const std::string& text) {
  if (text.size() <= 80) return text;
  return std::string(utf8_prefix(text, 40)) + "... " + std::to_string(text.size()) + " bytes";
}

struct Outline {
  std::string operator()(const model::Text& block) const {
    return "text(" + cut(block.text) + ") ";
  }
  std::string operator()(const model::Thinking& block) const {
    return (block.redacted ? "redacted(" + block.signature : "think(" + cut(block.thinking)) + ") ";
  }
  std::string operator()(const model::ToolUse& block) const {
    return block.name + "(" + block.input + ") ";
  }
  std::string operator()(const model::Opaque& block) const { return "opaque(" + block.raw + ") "; }
  std::string operator()(const auto&) const { return "? "; }
};

}  // namespace

Replay& Replay::feed(std::string_view bytes) {
  for (const model::Delta& delta : decoder.feed(bytes)) assembler.add(delta);
  return *this;
}

model::Message Replay::message() const {
  Replay end = *this;
  for (const model::Delta& delta : end.decoder.finish()) end.assembler.add(delta);
  return end.assembler.message();
}

model::Message replay(const wire::Codec& codec, std::string_view body) {
  return Replay(codec).feed(body).message();
}

std::string sse(const std::vector<std::string>& data) {
  std::string out;
  for (const std::string& line : data) out += "data: " + line + "\n\n";
  return out;
}

std::string outline(const model::Message& message) {
  std::string out;
  for (const model::Block& block : message.content) out += std::visit(Outline{}, block);
  return out + "-> " + std::string(model::name(message.stop));
}

}  // namespace skein
