#include "app/setup/structured_answer.h"

#include "app/invocation/cli.h"
#include "core/schema/json_schema.h"
#include "core/text/json.h"

namespace skein::app {

namespace {

constexpr const char* tool_name = "structured_output";
constexpr int most_reminders = 3, most_misfits = 5;

}  // namespace

StructuredAnswer::StructuredAnswer(JsonText schema) : schema_(std::move(schema)) {
  if (const std::string why = schema::trouble_with_schema(schema_); !why.empty())
    throw UsageError("the JSON schema cannot be used: " + why);
}

void StructuredAnswer::begin_turn() {
  answer_.reset();
  reminders_ = misfits_ = 0;
}

model::ToolOutcome StructuredAnswer::take(const JsonText& input) {
  const std::string why = schema::misfit(schema_, input);
  model::ToolOutcome outcome =
      why.empty() ? model::tool_text("The answer was taken.")
                  : model::tool_failure("the answer does not fit its schema: " + why);
  if (why.empty()) answer_ = input;
  if (why.empty() || ++misfits_ == most_misfits) outcome.decided.ends_turn = model::Stop::stop;
  return outcome;
}

model::Tool StructuredAnswer::tool() {
  return {.name = tool_name,
          .description =
              "Give your final answer. Call this once, when you are done: its input is "
              "the answer, and ends your work.",
          .schema = schema_,
          .effect = model::Effect::reads,
          .title = [](const JsonText&) { return "answer"; },
          .run = [this](const JsonText& input, const model::ToolPorts&) { return take(input); }};
}

hooks::HookDefinition StructuredAnswer::stop_hook() {
  const auto remind = [this](const JsonText&, std::chrono::milliseconds,
                             const std::function<bool()>&) {
    process::CommandEnd end;
    if (!answer_ && ++reminders_ <= most_reminders)
      end.output = dump({{"decision", "block"},
                         {"reason", std::string("Call the tool ") + tool_name +
                                        " now, with your answer as its input."}});
    return end;
  };
  return {.event = hooks::Event::stop,
          .command = tool_name,
          .callback = remind,
          .file = "--json-schema"};
}

}  // namespace skein::app
