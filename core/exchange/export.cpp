#include "core/exchange/export.h"

#include <algorithm>

#include "core/fenced.h"
#include "core/json.h"
#include "core/store/entry_text.h"

namespace skein {

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

  void operator()(const Text& block) const {
    if (!block.text.empty()) out += block.text + "\n\n";
  }
  void operator()(const Thinking& block) const {
    if (!block.thinking.empty()) out += folded("thinking", block.thinking, "text");
  }
  void operator()(const Image& block) const {
    out += "*(an image, " + escaped(block.mime_type) + ")*\n\n";
  }
  void operator()(const ToolUse& block) const {
    out += "**→ " + escaped(block.name) + "**\n\n" + fenced(block.input, "json") + "\n";
  }
  void operator()(const ToolResult& block) const {
    std::string text;
    for (const ResultBlock& part : block.content) {
      if (const auto* words = std::get_if<Text>(&part)) text += words->text;
      if (std::holds_alternative<Image>(part)) text += "(an image)";
    }
    out += folded(block.is_error ? "result: an error" : "result", text, "text");
  }
  void operator()(const Opaque&) const {}
};

std::string heading(const Message& message) {
  switch (message.role) {
    case Role::user: return "## You\n\n";
    case Role::assistant:
      return "## " + (message.model.empty() ? std::string("Assistant") : escaped(message.model)) +
             "\n\n";
    default: return {};  // results stand under the calls they answer
  }
}

void write_entry(const Entry& entry, std::string& out) {
  if (entry.type == type::compaction_summary || entry.type == type::branch_summary) {
    if (const auto json = parse_json(entry.payload))
      out += "> *What came before, in short:*\n\n" + string_at(*json, "summary") + "\n\n";
    return;
  }
  if (entry.type != type::message) return;
  const auto message = message_from_json(entry.payload);
  if (!message) return;
  if (message->continuation) {
    out += "*asked to go on*\n\n";
    return;
  }
  out += heading(*message);
  for (const Block& block : message->content) std::visit(BlockWriter{out}, block);
  if (!message->error.empty()) out += "*error: " + escaped(message->error) + "*\n\n";
}

}  // namespace

std::string as_markdown(std::string_view title, std::span<const Entry> path) {
  std::string out = "# " + escaped(title.empty() ? "A conversation" : title) + "\n\n";
  for (const Entry& entry : path) write_entry(entry, out);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

std::string as_json_lines(std::span<const Entry> path) {
  std::string out;
  for (const Entry& entry : path) out += to_json(entry) + "\n";
  return out;
}

}  // namespace skein
