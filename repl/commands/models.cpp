// Commands about who answers: the model, how much it thinks, its system prompt, and its key.
#include <algorithm>

#include "core/context/history.h"
#include "core/handover/compatibility.h"
#include "core/model/payloads.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

// Saved at once, so that a restart uses it too.
void take(session::Session& session, const model::ModelRef& model) {
  if (auto entries = agent::changes_to(session.conversation().state(), model); !entries.empty())
    store::value_or_throw(session.conversation().append(std::move(entries)));
  session.settings().model = model;
}

void list_models_of(session::Session& session, bool all) {
  const std::string current = model::to_string(session.settings().model);
  std::size_t hidden = 0, width = 0;
  std::vector<session::ModelLine> lines = session.services().models();
  std::erase_if(lines, [&](const session::ModelLine& line) {
    const bool shown = all || line.usable || line.name == current;
    hidden += !shown;
    return !shown;
  });
  for (const session::ModelLine& line : lines) width = std::max(width, line.name.size());
  for (session::ModelLine& line : lines) {
    line.name.resize(width, ' ');
    session.screen().print_untrusted((line.name.starts_with(current) ? "* " : "  ") + line.name +
                                     "  " + line.note + "\n");
  }
  if (hidden > 0)
    session.screen().print(
        std::to_string(hidden) +
        " more need a key or a server: /model all lists them, /login explains how\n");
}

}  // namespace

void choose_model(session::Session& session, std::string_view name) {
  if (name.empty() || name == "all") return list_models_of(session, !name.empty());
  model::ModelRef chosen = session.services().model(name);
  chosen.thinking = session.settings().model.thinking;
  const agent::Conversation& conversation = session.conversation();
  const handover::Compatibility cost = handover::check_compatibility(
      context::messages_of(conversation.path(), conversation.state().redacted),
      session.services().target(chosen));
  take(session, chosen);
  session.screen().print_untrusted("the next answer will come from " + model::to_string(chosen) +
                                   "\n");
  for (const std::string& warning : cost.warnings)
    session.screen().print_untrusted("  " + warning + "\n");
}

std::vector<std::string> model_names(session::Session& session, std::string_view start) {
  std::vector<std::string> out;
  for (session::ModelLine& line : session.services().models())
    if (line.name.find(start) != std::string::npos) out.push_back(std::move(line.name));
  return out;
}

void choose_thinking(session::Session& session, std::string_view level) {
  if (level.empty()) {
    session.screen().print(
        "thinking: " + std::string(skein::model::name(session.settings().model.thinking)) +
        " (off, minimal, low, medium, high, xhigh, max)\n");
    return;
  }
  const auto chosen = model::parse_thinking_level(level);
  if (!chosen) throw Error("/thinking takes off, minimal, low, medium, high, xhigh or max");
  model::ModelRef model = session.settings().model;
  model.thinking = *chosen;
  take(session, model);
  session.screen().print("thinking: " + std::string(level) + "\n");
}

std::vector<std::string> thinking_names(session::Session&, std::string_view start) {
  std::vector<std::string> out;
  for (const std::string_view level : {"off", "minimal", "low", "medium", "high", "xhigh", "max"})
    if (level.starts_with(start)) out.emplace_back(level);
  return out;
}

// For this session only; `none` restores the default.
void set_system(session::Session& session, std::string_view text) {
  if (text.empty()) {
    session.screen().print_untrusted(session.settings().system + "\n");
    if (!session.conversation().state().system.empty())
      session.screen().print("(set with /system; /system none restores the default)\n");
    return;
  }
  const std::string given(text == "none" ? "" : text);
  store::value_or_throw(session.conversation().append(
      {model::make_entry(model::payload::SystemPromptOverride{given})}));
  session.refresh_settings();
  session.screen().print(text == "none" ? "the default system prompt is back\n"
                                        : "the next answer will use this system prompt\n");
}

void show_login(session::Session& session, std::string_view provider) {
  session.screen().print_untrusted(session.services().login(provider));
}

}  // namespace skein::commands
