#include "core/exchange/export.h"

#include "core/store/entry_text.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::exchange {

namespace {

// Folded away in most viewers: long, and rarely what one reads an export for.
std::string folded(std::string_view summary, const std::string& text, std::string_view language) {
  return "<details><summary>" + std::string(summary) + "</summary>\n\n" + fenced(text, language) +
         "\n</details>\n\n";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '\n' || c == '\r')
      out += ' ';
    else
      out += c;
  }
  return out;
}

struct BlockWriter {
  std::string& out;

  void operator()(const model::Text& block) const {
    if (!block.text.empty()) out += block.text + "\n\n";
  }
  void operator()(const model::Thinking& block) const {
    if (!block.thinking.empty()) out += folded("thinking", block.thinking, "text");
  }
  void operator()(const model::Image& block) const {
    out += "*(an image, " + escaped(block.mime_type) + ")*\n\n";
  }
  void operator()(const model::ToolUse& block) const {
    out += "**→ " + escaped(block.name) + "**\n\n" + fenced(block.input, "json") + "\n";
  }
  void operator()(const model::ToolResult& block) const {
    std::string text;
    for (const model::ResultBlock& part : block.content) {
      if (const auto* words = std::get_if<model::Text>(&part)) text += words->text;
      if (std::holds_alternative<model::Image>(part)) text += "(an image)";
    }
    out += folded(block.is_error ? "result: an error" : "result", text, "text");
  }
  void operator()(const model::Opaque&) const {}
};

std::string heading(const model::Message& message) {
  switch (message.role) {
    case model::Role::user: return "## You\n\n";
    case model::Role::assistant:
      return "## " + (message.model.empty() ? std::string("Assistant") : escaped(message.model)) +
             "\n\n";
    default: return {};  // results follow the calls they answer
  }
}

void write_entry(const model::Entry& entry, std::string& out) {
  if (entry.type == model::type::compaction_summary || entry.type == model::type::branch_summary) {
    if (const auto json = parse_json(entry.payload))
      out += string_at(*json, "summary").empty()
                 ? "> *Older messages were left out for the model.*\n\n"
                 : "> *What came before, in short:*\n\n" + string_at(*json, "summary") + "\n\n";
    return;
  }
  const auto message = model::message_of(entry);
  if (!message) return;
  if (message->continuation) {
    if (!model::tells_changes(entry)) out += "*asked to go on*\n\n";
    return;
  }
  out += heading(*message);
  for (const model::Block& block : message->content) std::visit(BlockWriter{out}, block);
  if (!message->error.empty()) out += "*error: " + escaped(message->error) + "*\n\n";
}

}  // namespace

std::string as_markdown(std::string_view title, std::span<const model::Entry> path) {
  std::string out = "# " + escaped(title.empty() ? "A conversation" : title) + "\n\n";
  for (const model::Entry& entry : path) write_entry(entry, out);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string as_json_lines(std::span<const model::Entry> path) {
  std::string out;
  for (const model::Entry& entry : path) out += store::to_json(entry) + "\n";
  return out;
}

}  // namespace skein::exchange
