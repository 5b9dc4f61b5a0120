#include "providers/wire/answer_limit.h"

namespace skein::wire {

namespace {

// \u00XX for a control character, the first byte of a C1 character, U+2028, U+2029 or U+FEFF.
std::size_t escaped_size(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t') return 2;
  return byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xE2 || byte == 0xEF ? 6 : 1;
}

}  // namespace

std::size_t escaped_size(std::string_view text) {
  std::size_t size = 0;
  for (const char c : text) size += escaped_size(c);
  return size;
}

bool AnswerLimit::add(std::size_t bytes) {
  if (bytes > most_bytes - used_) return false;
  used_ += bytes;
  return true;
}

bool AnswerLimit::take_text(std::string& text) {
  if (add(escaped_size(text))) return true;
  std::size_t fits = 0;
  while (add(escaped_size(text[fits]))) ++fits;
  text = std::string(utf8_prefix(text, fits));
  used_ = most_bytes;
  return false;
}

void AnswerLimit::pass(model::Delta delta, const std::function<void(model::Delta)>& give) {
  if (reached_) return;
  reached_ = !take(delta);
  give(std::move(delta));
  if (reached_)
    give(model::delta::Failed{
        "the answer is longer than 10 MiB and was stopped there; the part received is saved"});
}

bool AnswerLimit::take(model::Delta& delta) {
  if (auto* text = std::get_if<model::delta::TextPiece>(&delta)) return take_text(text->text);
  if (auto* thinking = std::get_if<model::delta::ThinkingPiece>(&delta))
    return take_text(thinking->text);
  if (auto* input = std::get_if<model::delta::ToolInput>(&delta)) {
    std::size_t& before = inputs_[input->block];
    if (input->whole) used_ -= std::exchange(before, 0);
    const std::size_t size = escaped_size(input->json_piece);
    if (!add(size)) return input->json_piece.clear(), false;
    before += size;
    return true;
  }
  // What must stay whole or not be at all.
  std::size_t size = 0;
  std::visit(
      [&](const auto& each) {
        if constexpr (requires { each.signature; }) size = escaped_size(each.signature);
        if constexpr (requires { each.members; }) size = escaped_size(each.members);
        if constexpr (requires { each.raw; }) size = escaped_size(each.raw);
        if constexpr (requires { each.name; }) size = escaped_size(each.id + each.name) + 100;
      },
      delta);
  if (add(size)) return true;
  delta = model::delta::UsageUpdate{};
  return false;
}

}  // namespace skein::wire
