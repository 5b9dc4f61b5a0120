#include "core/carry_over.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/json.h"
#include "core/request_text.h"

namespace skein {

namespace {

constexpr std::string_view image_left_out = "(an image was left out)";
constexpr std::string_view no_output = "(no output)";
constexpr std::string_view image_follows = "(see the image after the results)";

// The reply was cut: by the user, by the network or by the provider.
bool is_unfinished(const Message& message) {
  return message.stop == Stop::aborted || message.stop == Stop::interrupted ||
         message.stop == Stop::error;
}

std::string member_of(const JsonText& object, std::string_view key) {
  if (object.find(key) == object.npos) return {};
  return string_at(parse_json(object).value_or(Json{}), key);
}

bool is_signature(const std::string& text, const Target& target) {
  return is_sendable(text) && (target.wire != WireFormat::google || is_base64(text));
}

// What is sent back verbatim or not at all: repaired, it would no longer be what the provider gave.
JsonText verbatim(const JsonText& data, bool own, const Target& target) {
  if (!own || data.empty() || !is_sendable_object(data)) return {};
  const std::string signature = member_of(data, "thoughtSignature");
  return signature.empty() || is_signature(signature, target) ? data : JsonText{};
}

bool is_signed(const Thinking& block, const Target& target) {
  // A signature covers the very words; repaired ones are no longer those.
  if (!is_sendable(block.thinking)) return false;
  if (!block.signature.empty()) return is_signature(block.signature, target);
  // Chat services keep theirs in the detail they sent.
  return target.wire == WireFormat::openai_chat &&
         !verbatim(block.provider_data, true, target).empty();
}

// Whether what the provider gave beside the words goes back with them. A Responses server misses
// the reasoning that led to an item it knows by id; where that stays behind, the ids must too.
bool keeps_data(const Message& message, const Target& target) {
  if (!same_model(message, target)) return false;
  if (target.wire != WireFormat::openai_responses) return true;
  return std::ranges::all_of(message.content, [&](const Block& block) {
    const auto* thinking = std::get_if<Thinking>(&block);
    return !thinking || fate(*thinking, message, target) == Fate::kept;
  });
}

struct BlockCarrier {
  const Message& author;
  const Target& target;
  bool own;
  std::vector<Block>& out;
  bool apart = false;  // something that is no text stood between this one and the last

  void operator()(const Text& block) {
    Text text{sendable(block.text), data(block.provider_data, is_sendable(block.text))};
    // Gemini hangs a signature on a part without words, and wants it back there.
    const bool carrier = target.wire == WireFormat::google &&
                         !member_of(text.provider_data, "thoughtSignature").empty();
    if (carrier || !is_blank(text.text)) add(std::move(text), std::exchange(apart, false));
  }
  void operator()(const Thinking& block) {
    apart = true;
    if (author.role != Role::assistant) return;
    switch (fate(block, author, target)) {
      case Fate::kept: {
        const bool intact = is_sendable(block.thinking) && is_signature(block.signature, target);
        out.emplace_back(Thinking{sendable(block.thinking), intact ? block.signature : "",
                                  block.redacted,
                                  data(block.provider_data, is_sendable(block.thinking))});
        break;
      }
      case Fate::plain_text: add(Text{sendable(block.thinking)}, true); break;
      case Fate::dropped: break;
    }
  }
  void operator()(const Image& block) const {
    if (fate(block, author, target) == Fate::kept)
      out.emplace_back(
          Image{block.mime_type, sendable(block.blob), block.bytes, data(block.provider_data)});
    else
      out.emplace_back(Text{std::string(image_left_out)});
  }
  void operator()(const ToolUse& block) const {
    if (author.role == Role::assistant)
      out.emplace_back(ToolUse{block.id, tool_name(block.name), sendable_object(block.input),
                               data(block.provider_data)});
  }
  void operator()(const ToolResult&) const {}
  void operator()(const Opaque& block) const {
    if (fate(block, author, target) == Fate::kept) out.emplace_back(block);
  }

  JsonText data(const JsonText& given, bool intact = true) const {
    return verbatim(given, own && intact, target);
  }

 private:
  void add(Text text, bool is_apart) {
    if (is_apart && author.role == Role::assistant && target.wire == WireFormat::openai_chat)
      set_apart(text.text, out);
    out.emplace_back(std::move(text));
  }
};

}  // namespace

void set_apart(std::string& text, const std::vector<Block>& before) {
  const auto* last = before.empty() ? nullptr : std::get_if<Text>(&before.back());
  if (last != nullptr && !last->text.ends_with('\n') && !text.starts_with('\n'))
    text.insert(0, "\n\n");
}

Fate fate(const Thinking& block, const Message& author, const Target& target) {
  const bool own = same_model(author, target);
  if (own && is_signed(block, target)) return Fate::kept;
  if (block.redacted || is_blank(block.thinking)) return Fate::dropped;
  // Half a thought, without the seal that says it is whole, is of no use to anyone.
  if (is_unfinished(author) && block.signature.empty() && block.provider_data.empty())
    return Fate::dropped;
  return own && target.unsigned_thinking ? Fate::kept : Fate::plain_text;
}

Fate fate(const Image& block, const Message& author, const Target& target) {
  // Only Gemini speaks in images, and only it wants to hear its own again.
  if (author.role == Role::assistant &&
      !(same_model(author, target) && target.wire == WireFormat::google))
    return Fate::plain_text;
  return takes(block, target) ? Fate::kept : Fate::plain_text;
}

Fate fate(const Opaque& block, const Message& author, const Target& target) {
  // In a reply that was cut, a tool the provider runs itself may lack its result. Chat completions
  // have no place for blocks that are neither words nor calls.
  const bool kept = same_model(author, target) && block.provider == target.provider &&
                    target.wire != WireFormat::openai_chat && !is_unfinished(author) &&
                    is_sendable_object(block.raw);
  return kept ? Fate::kept : Fate::dropped;
}

std::vector<Block> carry_over(const Message& message, const Target& target) {
  std::vector<Block> out;
  if (message.role == Role::tool) return out;
  BlockCarrier carrier{message, target, keeps_data(message, target), out};
  for (const Block& block : message.content) std::visit(carrier, block);
  return out;
}

std::string item_id(const Block& block) {
  return std::visit(
      [](const auto& each) {
        if constexpr (requires { each.raw; })
          return member_of(each.raw, "id");
        else
          return member_of(each.provider_data, "id");
      },
      block);
}

ToolResult carry_over(const ToolResult& result, bool own, const Target& target,
                      std::vector<Block>& attached) {
  ToolResult out{.tool_use_id = {}, .is_error = result.is_error};
  out.provider_data = verbatim(result.provider_data, own, target);
  const std::size_t attached_before = attached.size();
  for (const ResultBlock& block : result.content) {
    if (const auto* text = std::get_if<Text>(&block)) {
      if (!is_blank(text->text))
        out.content.emplace_back(
            Text{sendable(text->text), verbatim(text->provider_data, own, target)});
    } else if (const auto* image = std::get_if<Image>(&block)) {
      Image kept{image->mime_type, sendable(image->blob), image->bytes};
      if (!takes(*image, target))
        out.content.emplace_back(Text{std::string(image_left_out)});
      else if (target.images_in_results)
        out.content.emplace_back(std::move(kept));
      else
        attached.emplace_back(std::move(kept));
    } else if (const auto* opaque = std::get_if<Opaque>(&block)) {
      if (own && opaque->provider == target.provider && is_sendable_object(opaque->raw))
        out.content.emplace_back(*opaque);
    }
  }
  if (out.content.empty())
    out.content.emplace_back(
        Text{std::string(attached.size() > attached_before ? image_follows : no_output)});
  return out;
}

}  // namespace skein
