// ask: questions of the model's own. It waits for the user for as long as that takes, and never
// answers for them.
#include "core/plan/inquiries.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"

namespace skein::tools {

namespace {

constexpr std::string_view ask_schema = R"({
  "type": "object",
  "properties": {
    "questions": {
      "type": "array",
      "description": "one to four",
      "items": {
        "type": "object",
        "properties": {
          "question": {"type": "string"},
          "header": {"type": "string", "description": "what it is about, in at most 12 characters"},
          "options": {
            "type": "array",
            "description": "two to four; the user can always say something else",
            "items": {
              "type": "object",
              "properties": {
                "label": {"type": "string", "description": "short"},
                "description": {"type": "string", "description": "what choosing it means"}
              },
              "required": ["label"]
            }
          },
          "multiple": {"type": "boolean", "description": "several options may be chosen"}
        },
        "required": ["question", "options"]
      }
    }
  },
  "required": ["questions"]
})";

std::string ask_title(const JsonText& input) {
  const plan::ReadInquiries read = plan::read_inquiries(input);
  return read.questions.empty() ? "ask" : one_line("ask", read.questions.front().question);
}

ToolOutcome run_ask(const JsonText& input, const ToolPorts& ports) {
  const plan::ReadInquiries read = plan::read_inquiries(input);
  if (!read.complaint.empty()) return tool_failure(read.complaint);
  if (!ports.inquire)
    return tool_failure("nobody can be asked; decide yourself and say what you assumed");
  std::string answers;
  for (const model::Inquiry& question : read.questions) {
    const std::optional<std::string> answer = ports.inquire(question);
    if (!answer) {
      ToolOutcome out = tool_failure(answers + plan::answer_line(question, "no answer") +
                                     "the user did not answer; stop and wait");
      out.decided.ends_turn = model::Stop::aborted;
      return out;
    }
    answers += plan::answer_line(question, *answer);
  }
  return tool_text(valid_utf8(answers));
}

}  // namespace

Tool ask_tool() {
  Tool tool;
  tool.name = "ask";
  tool.description =
      "Ask the user what only they can decide and what the work depends on: a choice between ways "
      "to do it, not what the files can tell.";
  tool.schema = ask_schema;
  tool.effect = Effect::reads;
  tool.asks_user = true;
  tool.title = ask_title;
  tool.run = run_ask;
  tool.other_names = {"askuserquestion", "ask_user", "request_user_input", "question"};
  return tool;
}

}  // namespace skein::tools
