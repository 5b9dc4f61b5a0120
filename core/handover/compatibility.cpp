#include "core/handover/compatibility.h"

#include "core/handover/carry_over.h"
#include "core/handover/normalize.h"
#include "core/text/text.h"

namespace skein::handover {

namespace {

struct Losses {
  std::size_t thinking_as_text = 0;
  std::size_t thinking_dropped = 0;
  std::size_t redacted = 0;
  std::size_t images = 0;
  std::size_t opaque = 0;
  std::size_t provider_data = 0;
  std::size_t results = 0;  // in the transcript; what is lost shows in what comes out
};

// Made up by us, now or (if the agent wrote it down) earlier.
bool says_interrupted(const model::ToolResult& result) {
  const auto* text =
      result.content.size() == 1 ? std::get_if<model::Text>(&result.content[0]) : nullptr;
  return text && text->text == interrupted_text;
}

struct Counter {
  const model::Message& author;
  const Target& target;
  bool unended;
  Losses& losses;

  void operator()(const model::Text& block) const { count_data(block.provider_data); }
  void operator()(const model::Thinking& block) const {
    const BlockTreatment outcome = fate(block, author, target, unended);
    if (outcome == BlockTreatment::plain_text) ++losses.thinking_as_text;
    if (outcome == BlockTreatment::dropped && block.redacted) ++losses.redacted;
    if (outcome == BlockTreatment::dropped && !block.redacted && !block.thinking.empty())
      ++losses.thinking_dropped;
  }
  void operator()(const model::Image& block) const {
    if (fate(block, author, target) != BlockTreatment::kept) ++losses.images;
  }
  void operator()(const model::ToolUse& block) const { count_data(block.provider_data); }
  void operator()(const model::ToolResult& block) const {
    if (!says_interrupted(block)) ++losses.results;
    for (const model::ResultBlock& each : block.content) {
      const auto* image = std::get_if<model::Image>(&each);
      if (image && !takes(*image, target)) ++losses.images;
    }
  }
  void operator()(const model::Opaque& block) const {
    if (fate(block, author, target) != BlockTreatment::kept) ++losses.opaque;
  }

  void count_data(const JsonText& data) const {
    if (!data.empty() && !same_model(author, target)) ++losses.provider_data;
  }
};

bool is_google(const model::Message& message) {
  return message.provider.starts_with("google") || message.provider == "gemini";
}

}  // namespace

Compatibility check_compatibility(const std::vector<model::Message>& messages,
                                  const Target& target) {
  Losses losses;
  bool from_google = false, from_elsewhere = false;
  const std::vector<bool> unended = unended_loops(messages);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const model::Message& message = messages[i];
    for (const model::Block& block : message.content)
      std::visit(Counter{message, target, unended[i], losses}, block);
    if (message.role != model::Role::assistant) continue;
    from_google = from_google || is_google(message);
    from_elsewhere = from_elsewhere || message.provider != target.provider;
  }

  std::size_t interrupted = 0, recorded = 0;  // calls without a result, and results with their call
  for (const model::Message& message : normalize(messages, target))
    for (const model::Block& block : message.content)
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        ++(says_interrupted(*result) ? interrupted : recorded);

  Compatibility out;
  const auto warn = [&](bool when, std::string sentence) {
    if (when) out.warnings.push_back(std::move(sentence));
  };
  const auto lose = [&](std::size_t n, const char* field) {
    if (n > 0) out.lossy_fields.emplace_back(field);
  };
  const auto count = [&](std::size_t n, const char* one, const char* many, const char* rest) {
    warn(n > 0, counted(n, one, many) + rest);
  };

  const std::size_t thinking = losses.thinking_as_text + losses.thinking_dropped + losses.redacted;
  warn(thinking > 0, "Thinking traces will be lost");
  count(losses.thinking_as_text, "thinking block becomes", "thinking blocks become", " plain text");
  count(losses.thinking_dropped, "thinking block is", "thinking blocks are", " left out");
  count(losses.redacted, "encrypted thinking block is", "encrypted thinking blocks are",
        " left out: unreadable to other models");
  lose(thinking, "thinking");

  count(losses.images, "image is", "images are",
        target.takes_images ? " left out: the model does not take this kind"
                            : " left out: the model takes no images");
  lose(losses.images, "images");
  count(losses.opaque, "block is", "blocks are", " left out: unreadable to other providers");
  lose(losses.opaque, "opaque");
  lose(losses.provider_data, "providerData");

  count(interrupted, "tool call has", "tool calls have",
        " no recorded result and will be shown as interrupted");
  count(losses.results - std::min(losses.results, recorded), "tool result without a call is",
        "tool results without a call are", " left out");

  const bool to_google = target.wire == WireFormat::google;
  warn(from_google && !to_google, "Role names will be converted (model → assistant)");
  warn(from_elsewhere && to_google, "Role names will be converted (assistant → model)");
  warn(from_elsewhere && target.wire == WireFormat::anthropic,
       "Content will be converted to Anthropic format");
  return out;
}

}  // namespace skein::handover
