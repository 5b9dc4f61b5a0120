// Commands about who answers: the model, how much it thinks, its system prompt, and its key.

#include "core/context/history.h"
#include "core/handover/compatibility.h"
#include "core/model/payloads.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/commands/usage.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/pick/model_picker.h"
#include "repl/session/session.h"

namespace skein::commands {

using session::KeyStep;

namespace {

// Saved at once, so that a restart uses it too.
void take(Session& session, const model::ModelRef& model) {
  if (auto entries = agent::changes_to(session.conversation().state(), model); !entries.empty())
    store::value_or_throw(session.conversation().append(std::move(entries)));
  session.settings().model = model;
}

// As they were last used, here and in other sessions; this session's own first.
std::vector<std::string> models_used(Session& session) {
  constexpr std::size_t most_sessions = 200;
  std::vector<std::string> used{model::to_string(session.settings().model)};
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::ranges::find(used, name) == used.end()) used.push_back(name);
  };
  add(session.model_before());
  for (const auto& each : session.conversation().state().usage) add(each.first);
  const std::vector<store::SessionRecord> sessions = session.store().list();
  for (std::size_t i = 0; i < std::min(sessions.size(), most_sessions); ++i)
    add(sessions[i].state.model);
  return used;
}

// The current list, and how many are not in it.
struct OfferedModels {
  std::vector<session::ModelLine> models;
  std::size_t hidden = 0;
};
OfferedModels offer_of(Session& session, const std::vector<std::string>& used, bool all) {
  std::vector<session::ModelLine> lines = session.services().models->lines();
  const std::size_t count = lines.size();
  OfferedModels offer{pick::ordered_models(std::move(lines), used,
                                           model::to_string(session.settings().model), all)};
  offer.hidden = count - offer.models.size();
  return offer;
}

// Without a keyboard, for a pipe or a screen reader.
void print_models(Session& session, bool all) {
  session.services().models->refresh({});
  const std::string current = model::to_string(session.settings().model);
  const auto [lines, hidden] = offer_of(session, models_used(session), all);
  std::size_t width = 0;
  for (const session::ModelLine& line : lines) width = std::max(width, line.name.size());
  for (const session::ModelLine& line : lines) {
    std::string out;
    for (const std::string& part :
         {line.details, line.images ? std::string("sees images") : "", line.ends, line.note})
      if (!part.empty()) out += (out.empty() ? "" : " · ") + part;
    session.screen().print_untrusted((line.name == current ? "* " : "  ") +
                                     layout::padded(line.name, width) + "  " + out + "\n");
  }
  if (hidden > 0)
    session.screen().print(
        std::to_string(hidden) +
        " more need a key or a server: /model all lists them, /login explains how\n");
}

// The one that answered before this one did, in this session.
std::string model_before(Session& session) {
  if (!session.model_before().empty()) return session.model_before();
  const std::string current = model::to_string(session.settings().model);
  const std::vector<model::Entry>& path = session.conversation().path();
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry) {
    if (entry->type != model::type::message) continue;
    const auto message = model::message_from_json(entry->payload);
    if (!message || message->provider.empty()) continue;
    std::string name = message->provider + "/" + message->model;
    if (name != current) return name;
  }
  throw Error("there is no previous model");
}

void change_model(Session& session, std::string_view name) {
  model::ModelRef chosen = session.services().models->parse(name);
  const model::ModelRef before = session.settings().model;
  chosen.thinking = before.thinking;
  if (model::to_string(chosen) == model::to_string(before))
    return session.screen().print_untrusted(model::to_string(chosen) + " is the current model\n");
  const agent::Conversation& conversation = session.conversation();
  const handover::Compatibility cost = handover::check_compatibility(
      context::messages_of(conversation.path(), conversation.state().redacted),
      session.services().models->target(chosen));
  session.before_model(chosen, cost.warnings);
  take(session, chosen);
  session.model_before() = model::to_string(before);
  session.screen().print_untrusted("the next answer will come from " + model::to_string(chosen) +
                                   "\n");
  session.screen().print_each(session.services().models->remarks(chosen), "  ");
  session.screen().print_each(cost.warnings, "  ");
  tell_resend(session);
  session.after_model(before, cost.warnings);
}

// Read out, with the details of each.
std::optional<std::string> model_by_number(Session& session, const OfferedModels& offer) {
  const std::string current = model::to_string(session.settings().model);
  std::vector<std::string> lines;
  for (const session::ModelLine& each : offer.models) {
    std::string line = each.name + (each.name == current ? ", current" : "");
    for (const std::string& part : {each.details, each.note})
      if (!part.empty()) line += ", " + part;
    lines.push_back(line);
  }
  const auto chosen = session.choose(
      "models" + (offer.hidden > 0
                      ? ", and " + std::to_string(offer.hidden) + " more: /model all lists them"
                      : std::string()),
      lines);
  return chosen ? std::optional(offer.models[*chosen].name) : std::nullopt;
}

}  // namespace

void choose_model(Session& session, std::string_view name) {
  if (name == "-") return change_model(session, model_before(session));
  if (!name.empty() && name != "all") return change_model(session, name);
  const bool all = !name.empty();
  if (session.keyboard() == nullptr && !session.chooses_by_number())
    return print_models(session, all);
  const std::vector<std::string> used = models_used(session);
  const OfferedModels first = offer_of(session, used, all);
  const std::optional<std::string> chosen =
      session.chooses_by_number()
          ? model_by_number(session, first)
          : pick::pick_model(
                *session.keyboard(),
                {.models = [&] { return offer_of(session, used, all).models; },
                 .refresh =
                     [&](const model::Ports& ports) {
                       return session.services().models->refresh(ports);
                     },
                 .current = model::to_string(session.settings().model),
                 .hint = first.hidden == 0 ? ""
                                           : "chooses, /model all lists " +
                                                 std::to_string(first.hidden) + " more"});
  if (!chosen) return;
  if (chosen->ends_with("/NAME"))
    throw Error("type the model's name: /model " + chosen->substr(0, chosen->size() - 4) + "…");
  if (*chosen != model::to_string(session.settings().model)) change_model(session, *chosen);
}

Choices model_names(Session& session, std::string_view start) {
  Choices out;
  for (const session::ModelLine& line : session.services().models->lines()) {
    if (line.name.find(start) == std::string::npos) continue;
    std::string about = line.window + (line.price.empty() ? "" : "  " + line.price);
    if (!line.usable) about += (about.empty() ? "" : "  ") + line.note;
    out.push_back({.text = line.name, .about = std::move(about)});
  }
  return out;
}

void choose_thinking(Session& session, std::string_view level) {
  if (level.empty())
    return session.screen().print(
        "thinking: " + std::string(skein::model::name(session.settings().model.thinking)) +
        " (off, minimal, low, medium, high, xhigh, max)\n");
  const auto chosen = model::parse_thinking_level(level);
  if (!chosen) throw Error("/thinking takes off, minimal, low, medium, high, xhigh or max");
  model::ModelRef model = session.settings().model;
  model.thinking = *chosen;
  take(session, model);
  session.screen().print("thinking: " + std::string(level) + "\n");
  session.screen().print_each(session.services().models->remarks(model), "  ");
  tell_resend(session);
}

Choices thinking_names(Session&, std::string_view start) {
  return names_from(std::array{"off", "minimal", "low", "medium", "high", "xhigh", "max"}, start);
}

// For this session only; `none` restores the default.
void set_system(Session& session, std::string_view text) {
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
  session.screen().print(text == "none" ? "the default system prompt is restored\n"
                                        : "the next answer will use this system prompt\n");
  tell_resend(session);
}

void log_in(Session& session, std::string_view provider) {
  const session::Services& services = session.services();
  KeyStep step = KeyStep::check;
  std::string key;
  if (!provider.empty()) {
    const std::string name(provider);
    if (provider.find(' ') != std::string_view::npos)
      throw Error("usage: /login PROVIDER; it asks for the key itself");
    // Checks the name, and says whether a key that is there works.
    session.screen().print_untrusted(services.models->handle_key(step, provider, key));
    if (session.keyboard() == nullptr) {
      session.screen().print_untrusted("run `skein login " + name +
                                       "` in a terminal to store a key\n");
      return;
    }
    const auto typed =
        pick::ask_secret(*session.keyboard(), "new key for " + name + " (Enter: no change) › ");
    key = trimmed(typed.value_or(""));
    if (key.empty()) return;
    step = KeyStep::store;
  }
  session.screen().print_untrusted(services.models->handle_key(step, provider, key));
}

void log_out(Session& session, std::string_view provider) {
  if (provider.empty()) throw Error("which provider? /login lists them");
  session.screen().print_untrusted(
      session.services().models->handle_key(KeyStep::remove, provider, {}));
}

}  // namespace skein::commands
