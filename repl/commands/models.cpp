// Commands about who answers: the model, how much it thinks, what it is told to be, and its key.
#include <algorithm>

#include "core/context/history.h"
#include "core/handover/compatibility.h"
#include "core/model/payloads.h"
#include "repl/commands/handlers.h"
#include "repl/shell.h"

namespace skein::commands {

namespace {

// Written down at once: a restart goes on with it.
void take(repl::Shell& shell, const model::ModelRef& model) {
  if (auto entries = agent::changes_to(shell.conversation().state(), model); !entries.empty())
    store::value_or_throw(shell.conversation().append(std::move(entries)));
  shell.settings().model = model;
}

void list_models_of(repl::Shell& shell, bool all) {
  const std::string current = model::to_string(shell.settings().model);
  std::size_t hidden = 0, width = 0;
  std::vector<ModelLine> lines = shell.desk().models();
  std::erase_if(lines, [&](const ModelLine& line) {
    const bool shown = all || line.usable || line.name == current;
    hidden += !shown;
    return !shown;
  });
  for (const ModelLine& line : lines) width = std::max(width, line.name.size());
  for (ModelLine& line : lines) {
    line.name.resize(width, ' ');
    shell.screen().print_untrusted((line.name.starts_with(current) ? "* " : "  ") + line.name +
                                   "  " + line.note + "\n");
  }
  if (hidden > 0)
    shell.screen().print(std::to_string(hidden) +
                         " more need a key or a server: /model all lists them, /login says how\n");
}

}  // namespace

void choose_model(repl::Shell& shell, std::string_view name) {
  if (name.empty() || name == "all") return list_models_of(shell, !name.empty());
  model::ModelRef chosen = shell.desk().model(name);
  chosen.thinking = shell.settings().model.thinking;
  const agent::Conversation& conversation = shell.conversation();
  const handover::Compatibility cost = handover::check_compatibility(
      context::messages_of(conversation.path(), conversation.state().redacted),
      shell.desk().target(chosen));
  take(shell, chosen);
  shell.screen().print_untrusted("the next answer comes from " + model::to_string(chosen) + "\n");
  for (const std::string& warning : cost.warnings)
    shell.screen().print_untrusted("  " + warning + "\n");
}

std::vector<std::string> model_names(repl::Shell& shell, std::string_view start) {
  std::vector<std::string> out;
  for (ModelLine& line : shell.desk().models())
    if (line.name.find(start) != std::string::npos) out.push_back(std::move(line.name));
  return out;
}

void choose_thinking(repl::Shell& shell, std::string_view level) {
  if (level.empty()) {
    shell.screen().print(
        "thinking: " + std::string(skein::model::name(shell.settings().model.thinking)) +
        " (off, low, medium, high)\n");
    return;
  }
  const auto chosen = model::parse_thinking_level(level);
  if (!chosen) throw Error("/thinking takes off, low, medium or high");
  model::ModelRef model = shell.settings().model;
  model.thinking = *chosen;
  take(shell, model);
  shell.screen().print("thinking: " + std::string(level) + "\n");
}

std::vector<std::string> thinking_names(repl::Shell&, std::string_view start) {
  std::vector<std::string> out;
  for (const std::string_view level : {"off", "low", "medium", "high"})
    if (level.starts_with(start)) out.emplace_back(level);
  return out;
}

// For this session only; `none` goes back to the usual one.
void set_system(repl::Shell& shell, std::string_view text) {
  if (text.empty()) {
    shell.screen().print_untrusted(shell.settings().system + "\n");
    if (!shell.conversation().state().system.empty())
      shell.screen().print("(given with /system; /system none goes back to the usual one)\n");
    return;
  }
  const std::string given(text == "none" ? "" : text);
  store::value_or_throw(shell.conversation().append(
      {model::make_entry(model::payload::SystemPromptOverride{given})}));
  shell.refresh_settings();
  shell.screen().print(text == "none" ? "the usual system prompt is back\n"
                                      : "the next answer is given under this system prompt\n");
}

void show_login(repl::Shell& shell, std::string_view provider) {
  shell.screen().print_untrusted(shell.desk().login(provider));
}

}  // namespace skein::commands
