// Sessions as documents for people: Markdown, and a plain transcript.
#include "core/export/exported_session.h"
#include "core/model/entry.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::exporters {

namespace {

// Messages, summaries and side questions. `branches`: it does not follow the one before.
void each_shown_entry(const ExportedSession& session,
                      const std::function<void(const model::Entry&, bool branches)>& visit) {
  std::optional<Id> before;
  session.each_entry([&](const model::Entry& entry) {
    const bool aside = model::may_be_aside(entry.type, entry.payload);
    if (model::is_marginal(entry.type) && !aside) return;
    const bool branches = before && entry.parent != before;
    if (!aside) before = entry.id;
    visit(entry, branches);
  });
}

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
                    "\ncreated: " + json_string(session.created_at) + "\nmodels: [" +
                    listed(session.models, ", ", json_string) + "]\n";
  if (session.leaf) out += "head: " + json_string(to_string(*session.leaf)) + "\n";
  if (!session.usage.empty()) out += "usage: " + json_string(session.usage) + "\n";
  return out + "---\n\n";
}

std::string body_of(const ExportedSession& session, const model::Entry& entry) {
  if (const auto summary = summary_of(entry))
    return summary->empty() ? "> *Older messages were left out for the model.*\n\n"
                            : "> *Summary of earlier messages:*\n\n" + unmarked(*summary) + "\n\n";
  if (const auto aside = model::aside_of(entry))
    return "*Side question, not part of the conversation:*\n\n" + unmarked(aside->question) +
           "\n\n*Answer (" + escaped(aside->model) + "):*\n\n" + unmarked(aside->answer) + "\n\n";

  const auto message = model::message_of(entry);
  if (!message) return {};
  if (message->continuation)
    return model::tells_changes(entry) || model::tells_todo(entry) ? "" : "*asked to continue*\n\n";
  std::string out = heading(*message);
  for (const model::Block& block : message->content)
    std::visit(MarkdownBlocks{session, out}, block);
  if (!message->error.empty()) out += "*error: " + escaped(message->error) + "*\n\n";
  return out;
}

// Every line of it indented, so that it is not mistaken for a line of the document.
std::string indented(std::string_view text, std::string_view first, std::string_view then) {
  std::string out;
  for (const std::string_view line : split(text, '\n'))
    out.append(out.empty() ? first : then).append(line).append("\n");
  return out;
}

struct TextBlocks {
  const ExportedSession& session;
  std::string& out;

  void operator()(const model::Text& block) const { out += indented(block.text, "  ", "  "); }
  void operator()(const model::Thinking& block) const {
    out += indented(block.thinking, "  (thinking) ", "  | ");
  }
  void operator()(const model::Image& block) const { out += "  [" + block.mime_type + "]\n"; }
  void operator()(const model::ToolUse& block) const {
    out += "  -> " + block.name + " " + block.input + "\n";
  }
  void operator()(const model::ToolResult& block) const {
    out +=
        indented(whole_output(session, block), block.is_error ? "  <- error: " : "  <- ", "     ");
  }
  void operator()(const model::Opaque&) const {}
};

std::string speaker(const model::Message& message) {
  switch (message.role) {
    case model::Role::user: return message.continuation ? "skein" : "you";
    case model::Role::assistant: return message.model.empty() ? "assistant" : message.model;
    default: return "tool";
  }
}

std::string shown(const ExportedSession& session, const model::Entry& entry) {
  if (const auto summary = summary_of(entry))
    return "--- summary · " + entry.timestamp + "\n" + indented(*summary, "  ", "  ");
  if (const auto aside = model::aside_of(entry))
    return "--- you, side question · " + entry.timestamp + "\n" +
           indented(aside->question, "  ", "  ") + "--- " + aside->model + "\n" +
           indented(aside->answer, "  ", "  ");
  const auto message = model::message_of(entry);
  if (!message) return {};
  std::string out = "--- " + speaker(*message) + " · " + entry.timestamp + "\n";
  for (const model::Block& block : message->content) std::visit(TextBlocks{session, out}, block);
  if (!message->error.empty()) out += indented(message->error, "  error: ", "  ");
  return out;
}

}  // namespace

// Markdown for people, with front matter and the ids of the entries as comments, so that its text
// can be taken back.
void write_markdown(const ExportedSession& session, const Sink& sink) {
  sink(front_matter(session) + "# " + escaped(shown_title(session)) + "\n");
  each_shown_entry(session, [&](const model::Entry& entry, bool branches) {
    std::string body = body_of(session, entry);
    if (body.empty()) return;
    while (body.ends_with("\n\n")) body.pop_back();
    std::string head = "\n" + std::string(mark) + to_string(entry.id) +
                       (entry.parent ? " after " + to_string(*entry.parent) : "") + " -->\n";
    if (branches) head += "\n*another branch*\n";
    sink(head + "\n" + body);
  });
}

// A plain transcript, for mail and for diff.
void write_text(const ExportedSession& session, const Sink& sink) {
  sink(shown_title(session) + "\n" + session.key + " · " + session.created_at + "\n" +
       (session.usage.empty() ? "" : session.usage + "\n"));
  each_shown_entry(session, [&](const model::Entry& entry, bool branches) {
    const std::string text = shown(session, entry);
    if (text.empty()) return;
    sink("\n" +
         (branches ? "=== another branch, after " +
                         (entry.parent ? to_string(*entry.parent) : "nothing") + "\n\n"
                   : std::string{}) +
         text);
  });
}

}  // namespace skein::exporters
