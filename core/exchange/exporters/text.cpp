#include "core/exchange/exporters/text.h"

#include "core/exchange/exporters/whole_output.h"
#include "core/model/aside.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::exchange::exporters {

namespace {

// Every line of it indented, so that it cannot be taken for one of ours.
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
  if (entry.type == model::type::compaction_summary || entry.type == model::type::branch_summary) {
    const auto json = parse_json(entry.payload);
    return "--- summary · " + entry.timestamp + "\n" +
           indented(json ? string_at(*json, "summary") : "", "  ", "  ");
  }
  if (const auto aside = model::aside_of(entry))
    return "--- you, beside the conversation · " + entry.timestamp + "\n" +
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

void write_text(const ExportedSession& session, const Sink& sink) {
  sink((session.title.empty() ? "A conversation" : session.title) + "\n" + session.key + " · " +
       session.created_at + "\n" + (session.usage.empty() ? "" : session.usage + "\n"));
  std::optional<Id> before;
  session.each_entry([&](const model::Entry& entry) {
    const bool beside = model::may_be_aside(entry.type, entry.payload);
    if (model::is_marginal(entry.type) && !beside) return;
    const bool branches = before && entry.parent != before;
    if (!beside) before = entry.id;
    const std::string text = shown(session, entry);
    if (text.empty()) return;
    sink("\n" +
         (branches ? "=== another branch, after " +
                         (entry.parent ? to_string(*entry.parent) : "nothing") + "\n\n"
                   : std::string{}) +
         text);
  });
}

}  // namespace skein::exchange::exporters
