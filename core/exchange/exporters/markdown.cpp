#include "core/exchange/exporters/markdown.h"

#include "core/exchange/exporters/whole_output.h"
#include "core/model/aside.h"
#include "core/model/payloads.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::exchange::exporters {

namespace {

constexpr std::string_view mark = "<!-- entry ";

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

// What was said may look like our marks: a backslash that Markdown does not show tells it apart.
std::string unmarked(std::string text) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += mark.size() + 1)
    text.insert(at + 1, 1, '\\');
  return text;
}

struct MarkdownBlocks {
  const ExportedSession& session;
  std::string& out;

  void operator()(const model::Text& block) const {
    if (!block.text.empty()) out += unmarked(block.text) + "\n\n";
  }
  void operator()(const model::Thinking& block) const {
    if (!block.thinking.empty()) out += folded("thinking", block.thinking, "text");
  }
  void operator()(const model::Image& block) const { image(block); }
  void operator()(const model::ToolUse& block) const {
    out += "**→ " + escaped(block.name) + "**\n\n" + fenced(block.input, "json") + "\n";
  }
  void operator()(const model::ToolResult& block) const {
    out += folded(block.is_error ? "result: an error" : "result", whole_output(session, block),
                  "text");
    for (const model::ResultBlock& part : block.content)
      if (const auto* picture = std::get_if<model::Image>(&part)) image(*picture);
  }
  void operator()(const model::Opaque&) const {}

  void image(const model::Image& block) const {
    const LoadedImage loaded = load_image(session, block);
    out += loaded.there() ? "![an image](" + loaded.data_url() + ")\n\n"
                          : "*(an image, " + escaped(block.mime_type) + ")*\n\n";
  }
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

std::string front_matter(const ExportedSession& session) {
  std::string out = "---\nskein: 1\nkey: " + json_string(session.key) +
                    "\nsession: " + json_string(to_string(session.id)) +
                    "\ntitle: " + json_string(session.title) +
                    "\ncwd: " + json_string(session.cwd) +
                    "\ncreated: " + json_string(session.created_at) + "\nmodels: [";
  for (const std::string& model : session.models)
    out += (out.ends_with('[') ? "" : ", ") + json_string(model);
  out += "]\n";
  if (session.leaf) out += "head: " + json_string(to_string(*session.leaf)) + "\n";
  if (!session.usage.empty()) out += "usage: " + json_string(session.usage) + "\n";
  return out + "---\n\n";
}

std::string summary(const model::Entry& entry) {
  const auto json = parse_json(entry.payload);
  if (!json) return {};
  const std::string text = string_at(*json, "summary");
  return text.empty() ? "> *Older messages were left out for the model.*\n\n"
                      : "> *What came before, in short:*\n\n" + unmarked(text) + "\n\n";
}

std::string aside_body(const model::Aside& aside) {
  return "*A question beside the conversation:*\n\n" + unmarked(aside.question) + "\n\n*Answer (" +
         escaped(aside.model) + "):*\n\n" + unmarked(aside.answer) + "\n\n";
}

std::string body_of(const ExportedSession& session, const model::Entry& entry) {
  if (entry.type == model::type::compaction_summary || entry.type == model::type::branch_summary)
    return summary(entry);
  if (const auto aside = model::aside_of(entry)) return aside_body(*aside);
  const auto message = model::message_of(entry);
  if (!message) return {};
  if (message->continuation)
    return model::tells_changes(entry) || model::tells_todo(entry) ? "" : "*asked to go on*\n\n";
  std::string out = heading(*message);
  for (const model::Block& block : message->content)
    std::visit(MarkdownBlocks{session, out}, block);
  if (!message->error.empty()) out += "*error: " + escaped(message->error) + "*\n\n";
  return out;
}

}  // namespace

void write_markdown(const ExportedSession& session, const Sink& sink) {
  sink(front_matter(session) + "# " +
       escaped(session.title.empty() ? "A conversation" : session.title) + "\n");
  std::optional<Id> before;
  session.each_entry([&](const model::Entry& entry) {
    const bool beside = model::may_be_aside(entry.type, entry.payload);
    if (model::is_marginal(entry.type) && !beside) return;
    const bool branches = before && entry.parent != before;
    if (!beside) before = entry.id;
    std::string body = body_of(session, entry);
    if (body.empty()) return;
    while (body.ends_with("\n\n")) body.pop_back();
    std::string head = "\n" + std::string(mark) + to_string(entry.id) +
                       (entry.parent ? " after " + to_string(*entry.parent) : "") + " -->\n";
    if (branches) head += "\n*another branch*\n";
    sink(head + "\n" + body);
  });
}

}  // namespace skein::exchange::exporters
