#include "providers/wire/decoder.h"

#include "core/text/utf8.h"
#include "providers/wire/wire.h"

namespace skein::wire {

namespace {

constexpr char32_t first_mark = 0x10F800;  // represents U+D800, and so on for all 2048
constexpr std::string_view replacement = "\xEF\xBF\xBD";

// The surrogate that the mark at `at` represents; 0 if there is no mark.
char32_t marked_unit(std::string_view text, std::size_t at) {
  if (at + 4 > text.size() || text.substr(at, 2) != "\xF4\x8F") return 0;
  const auto bits = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]) & 0x3Fu; };
  const char32_t point = 0x10F000 | bits(2) << 6 | bits(3);
  if (point < first_mark) return 0;
  return point - first_mark + 0xD800;
}

void scrub(std::string& text) {
  for (std::size_t at = text.find("\xF4\x8F"); at != std::string::npos;
       at = text.find("\xF4\x8F", at + 1))
    if (marked_unit(text, at) != 0) text.replace(at, 4, replacement);
}

// Strings that come whole: a lone surrogate in them has no other half.
struct Scrub {
  void operator()(model::delta::ToolStart& delta) const { scrub(delta.id), scrub(delta.name); }
  void operator()(model::delta::Signature& delta) const { scrub(delta.signature); }
  void operator()(model::delta::ProviderData& delta) const { scrub(delta.members); }
  void operator()(model::delta::Unknown& delta) const { scrub(delta.raw); }
  void operator()(model::delta::StopReason& delta) const { scrub(delta.detail); }
  void operator()(model::delta::Failed& delta) const { scrub(delta.text); }
  void operator()(auto&) const {}
};

std::string* text_of(model::Delta& delta) {
  if (auto* text = std::get_if<model::delta::TextPiece>(&delta)) return &text->text;
  if (auto* thinking = std::get_if<model::delta::ThinkingPiece>(&delta)) return &thinking->text;
  if (auto* input = std::get_if<model::delta::ToolInput>(&delta)) return &input->json_piece;
  return nullptr;
}

// The block a delta speaks of, if it speaks of one.
const std::string* block_of(const model::Delta& delta) {
  return std::visit(
      [](const auto& each) -> const std::string* {
        if constexpr (requires { each.block; })
          return &each.block;
        else
          return nullptr;
      },
      delta);
}

model::Delta replacement_piece(std::size_t kind, const std::string& block) {
  if (kind == model::Delta(model::delta::TextPiece{}).index())
    return model::delta::TextPiece{block, std::string(replacement)};
  if (kind == model::Delta(model::delta::ThinkingPiece{}).index())
    return model::delta::ThinkingPiece{block, std::string(replacement)};
  return model::delta::ToolInput{block, std::string(replacement)};
}

constexpr std::size_t plain_limit = std::size_t{64} << 10;  // enough for any error

// Rewrites the lone surrogate escapes in `json`; false if there are none, and then it is unchanged.
bool mark_lone_surrogates(std::string& json) {
  bool found = false;
  for (std::size_t at = json.find('\\'); at != std::string::npos; at = json.find('\\', at)) {
    const std::string_view rest = std::string_view(json).substr(at);
    const std::optional<char32_t> unit = escaped_unit(rest);
    if (!unit || !is_surrogate(*unit)) {
      at += 2;
      continue;
    }
    if (const auto next = escaped_unit(rest.substr(escaped_unit_length));
        is_high_surrogate(*unit) && next && is_low_surrogate(*next)) {
      at += 2 * escaped_unit_length;
      continue;
    }
    std::string mark;
    append_utf8(mark, *unit - 0xD800 + first_mark);
    json.replace(at, escaped_unit_length, mark);
    at += 4;
    found = true;
  }
  return found;
}

// Makes the event one a JSON parser accepts; true if lone surrogates were marked in it.
bool make_parsable(SseEvent& event) {
  if (!is_valid_utf8(event.data)) event.data = valid_utf8(event.data);
  return mark_lone_surrogates(event.data);
}

}  // namespace

void SurrogateJoiner::release(const model::Delta& delta, model::Deltas& out) {
  const std::string* block = block_of(delta);
  const auto* end = std::get_if<model::delta::BlockEnd>(&delta);
  const bool all = std::holds_alternative<model::delta::Finished>(delta) ||
                   std::holds_alternative<model::delta::Failed>(delta) ||
                   (end != nullptr && end->all);
  std::erase_if(held_, [&](const Held& held) {
    const bool same = block != nullptr && *block == held.block;
    const bool continues = same && delta.index() == held.kind;
    // A block without a name continues only while nothing else comes.
    const bool over =
        all || (same && !continues) || (block != nullptr && !same && held.block.empty());
    if (over) out.push_back(replacement_piece(held.kind, held.block));
    return over;
  });
}

void SurrogateJoiner::piece(std::size_t kind, const std::string& block, std::string& text,
                            bool marked) {
  std::string out;
  char32_t high = 0;  // waits for its other half; 0: none does
  const auto held = std::ranges::find_if(
      held_, [&](const Held& each) { return each.kind == kind && each.block == block; });
  if (held != held_.end() && !text.empty()) {
    high = held->high;
    held_.erase(held);
  }
  if (!marked && high == 0) return;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t unit = marked ? marked_unit(text, at) : 0;
    if (high != 0)
      append_utf8(out, is_low_surrogate(unit) ? joined_surrogates(high, unit) : 0xFFFD);
    if (unit == 0)
      out += text[at];
    else if (is_low_surrogate(unit) && high == 0)
      out += replacement;
    high = is_high_surrogate(unit) ? unit : 0;
    at += unit != 0 ? 4 : 1;
  }
  if (high != 0) held_.push_back({kind, block, high});
  text = std::move(out);
}

model::Deltas SurrogateJoiner::join(model::Deltas deltas, bool marked) {
  if (!marked && held_.empty()) return deltas;
  model::Deltas out;
  for (model::Delta& delta : deltas) {
    release(delta, out);
    if (std::string* text = text_of(delta))
      piece(delta.index(), *block_of(delta), *text, marked);
    else if (marked)
      std::visit(Scrub{}, delta);
    out.push_back(std::move(delta));
  }
  return out;
}

model::Deltas SurrogateJoiner::finish() {
  model::Deltas out;
  for (const Held& held : held_) out.push_back(replacement_piece(held.kind, held.block));
  held_.clear();
  return out;
}

model::Deltas StreamDecoder::feed(std::string_view bytes) {
  model::Deltas out;
  if (failed_) return out;
  received_ += bytes.size();
  if (body_ == Body::unknown) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos)
      // No field of an event begins so, and content types cannot be trusted.
      body_ = std::string_view("{[<").find(bytes[first]) == std::string_view::npos ? Body::events
                                                                                   : Body::plain;
  }
  if (body_ == Body::plain) {
    plain_ += bytes.substr(0, plain_limit - plain_.size());
    return out;
  }
  for (SseEvent& event : sse_.feed(bytes)) {
    const bool marked = make_parsable(event);
    for (model::Delta& delta : joiner_.join(codec_->decode(event), marked))
      out.push_back(std::move(delta));
  }
  failed_ = sse_.over_limit() || received_ > limits_.body;
  if (failed_) out.emplace_back(model::delta::Failed{"the answer of the provider is too large"});
  return out;
}

model::Deltas StreamDecoder::finish() {
  if (body_ == Body::plain) return {codec_->explain(200, plain_, {})};
  model::Deltas out;
  if (std::optional<SseEvent> last = sse_.finish()) {
    const bool marked = make_parsable(*last);
    model::Deltas deltas = codec_->decode(*last);
    if (deltas != wire::not_json()) out = joiner_.join(std::move(deltas), marked);
  }
  for (model::Delta& delta : joiner_.finish()) out.push_back(std::move(delta));
  return out;
}

}  // namespace skein::wire
