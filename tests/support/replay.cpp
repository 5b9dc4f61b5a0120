#include "tests/support/replay.h"

namespace skein {

namespace {

std::string cut(const std::string& text) {
  if (text.size() <= 80) return text;
  return std::string(utf8_prefix(text, 40)) + "... " + std::to_string(text.size()) + " bytes";
}

struct Outline {
  std::string operator()(const Text& block) const { return "text(" + cut(block.text) + ") "; }
  std::string operator()(const Thinking& block) const {
    return (block.redacted ? "redacted(" + block.signature : "think(" + cut(block.thinking)) + ") ";
  }
  std::string operator()(const ToolUse& block) const {
    return block.name + "(" + block.input + ") ";
  }
  std::string operator()(const Opaque& block) const { return "opaque(" + block.raw + ") "; }
  std::string operator()(const auto&) const { return "? "; }
};

}  // namespace

Replay& Replay::feed(std::string_view bytes) {
  for (const Delta& delta : decoder.feed(bytes)) assembler.add(delta);
  return *this;
}

Message Replay::message() const {
  Replay end = *this;
  for (const Delta& delta : end.decoder.finish()) end.assembler.add(delta);
  return end.assembler.message();
}

Message replay(const Codec& codec, std::string_view body) {
  return Replay(codec).feed(body).message();
}

std::string sse(const std::vector<std::string>& data) {
  std::string out;
  for (const std::string& line : data) out += "data: " + line + "\n\n";
  return out;
}

std::string outline(const Message& message) {
  std::string out;
  for (const Block& block : message.content) out += std::visit(Outline{}, block);
  return out + "-> " + std::string(name(message.stop));
}

}  // namespace skein
