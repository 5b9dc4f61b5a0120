#include "core/handover/carry_over.h"

#include "core/text/json.h"
#include "core/text/request_text.h"

namespace skein::handover {

namespace {

constexpr std::string_view image_left_out = "(an image was left out)";
constexpr std::string_view no_output = "(no output)";
constexpr std::string_view image_follows = "(see the image after the results)";

// The reply was cut: by the user, by the network or by the provider.
bool is_unfinished(const model::Message& message) {
  return message.stop == model::Stop::aborted || message.stop == model::Stop::interrupted ||
         message.stop == model::Stop::error;
}

// Whether what its provider sealed in a message may go back to the target at all.
bool seals_hold(const model::Message& message, const Target& target) {
  return message.seals == model::Seals::good ||
         (message.seals == model::Seals::moved && !target.prefix_bound);
}

std::string member_of(const JsonText& object, std::string_view key) {
  if (object.find(key) == object.npos) return {};
  return string_at(parse_json(object).value_or(Json{}), key);
}

bool is_signature(const std::string& text, const Target& target) {
  return is_sendable(text) &&
         (target.wire != WireFormat::google || is_base64(text) || text == stand_in_signature);
}

// What is sent back verbatim or not at all: repaired, it would no longer be what the provider gave.
JsonText verbatim(const JsonText& data, bool own, const Target& target) {
  if (!own || data.empty() || !is_sendable_object(data)) return {};
  const std::string signature = member_of(data, "thoughtSignature");
  return signature.empty() || is_signature(signature, target) ? data : JsonText{};
}

bool is_signed(const model::Thinking& block, const Target& target) {
  // A signature covers the very words; repaired ones are no longer those.
  if (!is_sendable(block.thinking)) return false;
  if (!block.signature.empty()) return is_signature(block.signature, target);
  // Chat services keep theirs in the detail they sent.
  return target.wire == WireFormat::openai_chat &&
         !verbatim(block.provider_data, true, target).empty();
}

// Thinking that one model signed may be for all of its family: the service passes over what is not.
bool reads_seals(const model::Message& author, const Target& target) {
  return same_model(author, target) ||
         (!target.seal_family.empty() && author.role == model::Role::assistant &&
          same_service(author.provider, target) &&
          author.model.find(target.seal_family) != std::string::npos);
}

// What OpenAI's own server takes as the id of an item. Others give ids of hundreds of characters;
// since nothing is stored, ids mean nothing to them either.
constexpr std::size_t max_item_id = 64;
struct ItemKind {
  std::string_view operator()(const model::Text&) const { return "msg"; }
  std::string_view operator()(const model::Thinking&) const { return "rs"; }
  std::string_view operator()(const model::ToolUse&) const { return "fc"; }
  std::string_view operator()(const auto&) const { return ""; }
};
bool fits_item(std::string_view id, std::string_view kind) {
  return id.size() <= max_item_id && id.starts_with(kind);
}
// {"id":"rs_1",…, the usual form, without a parse: there are three of these in every step.
bool plainly_fits_item(std::string_view data, std::string_view kind) {
  constexpr std::string_view opening = R"({"id":")";
  if (!data.starts_with(opening)) return false;
  data.remove_prefix(opening.size());
  const std::string_view id = data.substr(0, data.find_first_of("\"\\"));
  return fits_item(id, kind) && data.substr(id.size()).starts_with('"');
}
bool has_foreign_item_ids(const model::Message& message) {
  return std::ranges::any_of(message.content, [](const model::Block& block) {
    const std::string_view kind = std::visit(ItemKind{}, block);
    const std::string_view data = std::visit(
        [](const auto& each) -> std::string_view {
          if constexpr (requires { each.provider_data; })
            return each.provider_data;
          else
            return each.raw;
        },
        block);
    if (data.empty() || plainly_fits_item(data, kind)) return false;
    const std::string id = item_id(block);
    return !id.empty() && !fits_item(id, kind);
  });
}

JsonText without_id(const JsonText& data) {
  if (data.empty()) return data;
  Json object = parse_json(data).value_or(Json::object());
  object.erase("id");
  return object.empty() ? JsonText{} : dump(object);
}

// Whether what the provider gave in addition to the words goes back with them. A Responses server
// misses the reasoning that led to an item it knows by id; where that stays behind, the ids must
// too.
bool keeps_data(const model::Message& message, const Target& target) {
  if (!same_model(message, target) || message.seals == model::Seals::refused) return false;
  if (target.wire != WireFormat::openai_responses) return true;
  return std::ranges::all_of(message.content, [&](const model::Block& block) {
    const auto* thinking = std::get_if<model::Thinking>(&block);
    return !thinking || fate(*thinking, message, target) == BlockTreatment::kept;
  });
}

struct BlockCarrier {
  const model::Message& author;
  const Target& target;
  bool own;
  bool unended;
  bool foreign_ids;
  std::vector<model::Block>& out;
  bool apart = false;  // something that is no text stood between this one and the last

  void operator()(const model::Text& block) {
    model::Text text{sendable(block.text), data(block.provider_data, is_sendable(block.text))};
    // Gemini hangs a signature on a part without words, and wants it back there.
    const bool carrier = target.wire == WireFormat::google &&
                         !member_of(text.provider_data, "thoughtSignature").empty();
    if (carrier || !is_blank(text.text)) add(std::move(text), std::exchange(apart, false));
  }
  void operator()(const model::Thinking& block) {
    apart = true;
    if (author.role != model::Role::assistant) return;
    switch (fate(block, author, target, unended)) {
      case BlockTreatment::kept: {
        const bool intact = is_sendable(block.thinking) && is_signature(block.signature, target);
        out.emplace_back(model::Thinking{sendable(block.thinking), intact ? block.signature : "",
                                         block.redacted,
                                         data(block.provider_data, is_sendable(block.thinking))});
        break;
      }
      case BlockTreatment::plain_text: add(model::Text{sendable(block.thinking)}, true); break;
      case BlockTreatment::dropped: break;
    }
  }
  void operator()(const model::Image& block) const {
    if (fate(block, author, target) == BlockTreatment::kept)
      out.emplace_back(model::Image{block.mime_type, sendable(block.blob), block.bytes,
                                    data(block.provider_data)});
    else
      out.emplace_back(model::Text{std::string(image_left_out)});
  }
  void operator()(const model::ToolUse& block) const {
    if (author.role == model::Role::assistant)
      out.emplace_back(model::ToolUse{block.id, tool_name(block.name), sendable_object(block.input),
                                      data(block.provider_data)});
  }
  void operator()(const model::ToolResult&) const {}
  void operator()(const model::Opaque& block) const {
    if (fate(block, author, target) != BlockTreatment::kept) return;
    out.emplace_back(
        model::Opaque{target.provider, foreign_ids ? without_id(block.raw) : block.raw});
  }

  JsonText data(const JsonText& given, bool intact = true) const {
    JsonText kept = verbatim(given, own && intact, target);
    return foreign_ids ? without_id(kept) : kept;
  }

 private:
  void add(model::Text text, bool is_apart) {
    if (is_apart && author.role == model::Role::assistant && target.wire == WireFormat::openai_chat)
      set_apart(text.text, out);
    out.emplace_back(std::move(text));
  }
};

}  // namespace

void set_apart(std::string& text, const std::vector<model::Block>& before) {
  const auto* last = before.empty() ? nullptr : std::get_if<model::Text>(&before.back());
  if (last != nullptr && !last->text.ends_with('\n') && !text.starts_with('\n'))
    text.insert(0, "\n\n");
}

BlockTreatment fate(const model::Thinking& block, const model::Message& author,
                    const Target& target, bool unended) {
  const bool own = same_model(author, target);
  if (!seals_hold(author, target) && (own || reads_seals(author, target)))
    return BlockTreatment::dropped;
  if (reads_seals(author, target) && is_signed(block, target)) return BlockTreatment::kept;
  if (block.redacted || is_blank(block.thinking)) return BlockTreatment::dropped;
  // Half a thought, without the seal that says it is whole, is of no use to anyone.
  if (is_unfinished(author) && block.signature.empty() && block.provider_data.empty())
    return BlockTreatment::dropped;
  if (own && (target.unsigned_thinking || target.reasoning_always)) return BlockTreatment::kept;
  // The target's own loop ends one day, and what was sent must not change then.
  return unended && !own ? BlockTreatment::plain_text : BlockTreatment::dropped;
}

BlockTreatment fate(const model::Image& block, const model::Message& author, const Target& target) {
  // Only Gemini speaks in images, and only it wants to hear its own again.
  if (author.role == model::Role::assistant &&
      !(same_model(author, target) && target.wire == WireFormat::google))
    return BlockTreatment::plain_text;
  return takes(block, target) ? BlockTreatment::kept : BlockTreatment::plain_text;
}

BlockTreatment fate(const model::Opaque& block, const model::Message& author,
                    const Target& target) {
  // In a reply that was cut, a tool the provider runs itself may lack its result. Chat completions
  // have no place for blocks that are neither words nor calls.
  const bool kept = same_model(author, target) && same_service(block.provider, target) &&
                    target.wire != WireFormat::openai_chat && !is_unfinished(author) &&
                    is_sendable_object(block.raw);
  return kept ? BlockTreatment::kept : BlockTreatment::dropped;
}

std::vector<model::Block> carry_over(const model::Message& message, const Target& target,
                                     bool unended) {
  std::vector<model::Block> out;
  if (message.role == model::Role::tool) return out;
  const bool own = keeps_data(message, target);
  const bool foreign_ids =
      own && target.wire == WireFormat::openai_responses && has_foreign_item_ids(message);
  BlockCarrier carrier{message, target, own, unended, foreign_ids, out};
  for (const model::Block& block : message.content) std::visit(carrier, block);
  return out;
}

std::string item_id(const model::Block& block) {
  return std::visit(
      [](const auto& each) {
        if constexpr (requires { each.raw; })
          return member_of(each.raw, "id");
        else
          return member_of(each.provider_data, "id");
      },
      block);
}

model::ToolResult carry_over(const model::ToolResult& result, bool own, const Target& target,
                             std::vector<model::Block>& attached) {
  model::ToolResult out{.tool_use_id = {}, .is_error = result.is_error};
  out.provider_data = verbatim(result.provider_data, own, target);
  const std::size_t attached_before = attached.size();
  for (const model::ResultBlock& block : result.content) {
    if (const auto* text = std::get_if<model::Text>(&block)) {
      if (!is_blank(text->text))
        out.content.emplace_back(
            model::Text{sendable(text->text), verbatim(text->provider_data, own, target)});
    } else if (const auto* image = std::get_if<model::Image>(&block)) {
      model::Image kept{image->mime_type, sendable(image->blob), image->bytes};
      if (!takes(*image, target))
        out.content.emplace_back(model::Text{std::string(image_left_out)});
      else if (target.images_in_results &&
               !(result.is_error && target.wire == WireFormat::anthropic))
        out.content.emplace_back(std::move(kept));
      else
        attached.emplace_back(std::move(kept));
    } else if (const auto* opaque = std::get_if<model::Opaque>(&block)) {
      if (own && same_service(opaque->provider, target) && is_sendable_object(opaque->raw))
        out.content.emplace_back(model::Opaque{target.provider, opaque->raw});
    }
  }
  if (out.content.empty())
    out.content.emplace_back(
        model::Text{std::string(attached.size() > attached_before ? image_follows : no_output)});
  return out;
}

namespace {

// The replies of one author with no prompt between them.
struct Loop {
  std::size_t first;
  const model::Message* last = nullptr;
  std::vector<std::string_view> waiting{};  // the calls since the last result
  bool called = false;
  bool results_last = false;

  void add(const model::Message& reply) {
    last = &reply;
    results_last = false;
    for (const model::ToolUse* call : model::tool_uses(reply)) waiting.push_back(call->id);
    called = called || !waiting.empty();
  }
  // Replies without a result between them are one reply, and end nothing if there is a call in it.
  void add_results(const model::Message& message) {
    for (const model::Block& block : message.content)
      if (const auto* result = std::get_if<model::ToolResult>(&block);
          result && std::ranges::find(waiting, result->tool_use_id) != waiting.end()) {
        waiting.clear();
        results_last = true;
      }
  }

  bool is_of(const model::Message& reply) const {
    return last->provider == reply.provider && last->model == reply.model;
  }
  // An answer that nothing is left of ends nothing: what was said last are the results before it.
  // Nor does one that was said before the results.
  bool ended() const {
    return waiting.empty() && !results_last && !is_unfinished(*last) &&
           model::tool_uses(*last).empty() && model::says_something(*last);
  }
};

}  // namespace

std::vector<bool> unended_loops(const std::vector<model::Message>& messages) {
  std::vector<bool> out(messages.size(), false);
  std::optional<Loop> loop;
  const auto close = [&](std::size_t end, bool by_another) {
    if (loop && loop->called && (by_another || !loop->ended()))
      for (std::size_t i = loop->first; i < end; ++i)
        out[i] = messages[i].role == model::Role::assistant;
    loop.reset();
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const model::Message& message = messages[i];
    if (loop && message.role != model::Role::assistant) loop->add_results(message);
    if (message.role == model::Role::user && model::says_something(message)) close(i, false);
    if (message.role != model::Role::assistant) continue;
    if (loop && !loop->is_of(message)) close(i, true);
    if (!loop) loop.emplace(Loop{i});
    loop->add(message);
  }
  close(messages.size(), false);
  return out;
}

}  // namespace skein::handover
