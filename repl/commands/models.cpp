// Commands about who answers: the model, how much it thinks, its system prompt, and its key.
#include <algorithm>

#include "core/context/history.h"
#include "core/handover/compatibility.h"
#include "core/model/payloads.h"
#include "repl/commands/handlers.h"
#include "repl/pick/model_picker.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

// Saved at once, so that a restart uses it too.
void take(session::Session& session, const model::ModelRef& model) {
  if (auto entries = agent::changes_to(session.conversation().state(), model); !entries.empty())
    store::value_or_throw(session.conversation().append(std::move(entries)));
  session.settings().model = model;
}

// As they were last used, here and in other sessions; this session's own first.
std::vector<std::string> models_used(session::Session& session) {
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

// The list as it is now, and how many are not in it.
struct Offer {
  std::vector<session::ModelLine> models;
  std::size_t hidden = 0;
};
Offer offer_of(session::Session& session, const std::vector<std::string>& used, bool all) {
  std::vector<session::ModelLine> lines = session.services().models();
  const std::size_t count = lines.size();
  Offer offer{pick::ordered_models(std::move(lines), used,
                                   model::to_string(session.settings().model), all)};
  offer.hidden = count - offer.models.size();
  return offer;
}

// Without a keyboard, for a pipe or a screen reader.
void print_models(session::Session& session, bool all) {
  session.services().refresh_models({});
  const std::string current = model::to_string(session.settings().model);
  const auto [lines, hidden] = offer_of(session, models_used(session), all);
  std::size_t width = 0;
  for (const session::ModelLine& line : lines) width = std::max(width, line.name.size());
  for (const session::ModelLine& line : lines) {
    std::string name = line.name, out;
    name.resize(width, ' ');
    for (const std::string& part :
         {line.details, line.images ? std::string("sees images") : "", line.ends, line.note})
      if (!part.empty()) out += (out.empty() ? "" : " · ") + part;
    session.screen().print_untrusted((line.name == current ? "* " : "  ") + name + "  " + out +
                                     "\n");
  }
  if (hidden > 0)
    session.screen().print(
        std::to_string(hidden) +
        " more need a key or a server: /model all lists them, /login explains how\n");
}

// The one that answered before this one did, in this session.
std::string model_before(session::Session& session) {
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
  throw Error("there was no other model before this one");
}

void change_model(session::Session& session, std::string_view name) {
  model::ModelRef chosen = session.services().model(name);
  const model::ModelRef before = session.settings().model;
  chosen.thinking = before.thinking;
  if (model::to_string(chosen) == model::to_string(before))
    return session.screen().print_untrusted(model::to_string(chosen) + " is the current model\n");
  const agent::Conversation& conversation = session.conversation();
  const handover::Compatibility cost = handover::check_compatibility(
      context::messages_of(conversation.path(), conversation.state().redacted),
      session.services().target(chosen));
  session.before_model(chosen, cost.warnings);
  take(session, chosen);
  session.model_before() = model::to_string(before);
  session.screen().print_untrusted("the next answer will come from " + model::to_string(chosen) +
                                   "\n");
  for (const std::string& remark : session.services().remarks(chosen))
    session.screen().print_untrusted("  " + remark + "\n");
  for (const std::string& warning : cost.warnings)
    session.screen().print_untrusted("  " + warning + "\n");
  session.after_model(before, cost.warnings);
}

}  // namespace

namespace {

// Read out, with what there is to say of each.
std::optional<std::string> model_by_number(session::Session& session, const Offer& offer) {
  const std::string current = model::to_string(session.settings().model);
  std::vector<std::string> lines;
  for (const session::ModelLine& each : offer.models) {
    std::string line = each.name + (each.name == current ? ", this one" : "");
    for (const std::string& part : {each.details, each.note})
      if (!part.empty()) line += ", " + part;
    lines.push_back(line);
  }
  const auto chosen = session.choose(
      "models" + (offer.hidden > 0
                      ? ", and " + std::to_string(offer.hidden) + " more: /model all has them"
                      : std::string()),
      lines);
  return chosen ? std::optional(offer.models[*chosen].name) : std::nullopt;
}

}  // namespace

void choose_model(session::Session& session, std::string_view name) {
  if (name == "-") return change_model(session, model_before(session));
  if (!name.empty() && name != "all") return change_model(session, name);
  const bool all = !name.empty();
  if (session.keyboard() == nullptr && !session.chooses_by_number())
    return print_models(session, all);
  const std::vector<std::string> used = models_used(session);
  const Offer first = offer_of(session, used, all);
  const std::optional<std::string> chosen =
      session.chooses_by_number()
          ? model_by_number(session, first)
          : pick::pick_model(
                *session.keyboard(),
                {.models = [&] { return offer_of(session, used, all).models; },
                 .refresh = session.services().refresh_models,
                 .current = model::to_string(session.settings().model),
                 .hint = first.hidden == 0 ? ""
                                           : "chooses, /model all has " +
                                                 std::to_string(first.hidden) + " more"});
  if (!chosen) return;
  if (chosen->ends_with("/NAME"))
    throw Error("type the model's name: /model " + chosen->substr(0, chosen->size() - 4) + "…");
  if (*chosen != model::to_string(session.settings().model)) change_model(session, *chosen);
}

std::vector<std::string> model_names(session::Session& session, std::string_view start) {
  std::vector<std::string> out;
  for (session::ModelLine& line : session.services().models())
    if (line.name.find(start) != std::string::npos) out.push_back(std::move(line.name));
  return out;
}

void describe_models(session::Session& session, std::vector<prompt::Choice>& choices) {
  const std::vector<session::ModelLine> lines = session.services().models();
  for (prompt::Choice& choice : choices) {
    const auto line = std::ranges::find(lines, choice.text, &session::ModelLine::name);
    if (line == lines.end()) continue;
    choice.about = line->window + (line->price.empty() ? "" : "  " + line->price);
    if (!line->usable) choice.about += (choice.about.empty() ? "" : "  ") + line->note;
  }
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
  for (const std::string& remark : session.services().remarks(model))
    session.screen().print_untrusted("  " + remark + "\n");
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
