#include "core/agent/turn.h"

#include "core/text/log.h"

namespace skein::agent {

model::Ending ending_of(const TurnEnd& end) {
  if (end.at_its_limit) return {end.error, true};
  return model::ending_of(end.stop, end.error, end.empty);
}

// A store on the network may be unreachable for a while. The entries stay here and are sent again
// under the same ids, so that it does not matter whether they had arrived. Without a user, skein
// gives up after a while.
store::Result<store::AppendResult> Turn::send(
    const std::function<store::Result<store::AppendResult>()>& append) const {
  constexpr std::chrono::milliseconds between{500};
  constexpr std::chrono::seconds unattended{60};
  const auto deadline = std::chrono::steady_clock::now() + unattended;
  for (bool warned = false;; warned = true) {
    store::Result<store::AppendResult> outcome = append();
    if (outcome || outcome.error().kind != store::Failure::Kind::unreachable) {
      if (outcome && warned)
        tell(model::Notice::Level::info, "connected again; everything is saved");
      return outcome;
    }
    if (!warned && !ports.stopped())
      tell(model::Notice::Level::warning,
           outcome.error().text +
               "; skein keeps the new messages in memory and tries again (^C gives up)");
    if ((!ports.ask && std::chrono::steady_clock::now() > deadline) ||
        !model::pause(ports, between))
      return outcome;
  }
}

// The disk may be full for a while: the batch stays here, and tools with side effects wait with it.
void Turn::commit(std::vector<model::Entry> entries) {
  for (;;) {
    const store::Result<store::AppendResult> outcome =
        send([&] { return conversation.append(entries); });
    if (outcome) {
      for (const model::Entry& entry : outcome->entries) ports.sink(model::Committed{entry});
      return;
    }
    const store::Failure& failure = outcome.error();
    log_warning("not saved", {{"session", to_string(conversation.session())},
                              {"kind", static_cast<int>(failure.kind)}});
    tell(model::Notice::Level::error, failure.text);
    const bool again = failure.kind == store::Failure::Kind::no_space ||
                       failure.kind == store::Failure::Kind::busy;
    if (!again || !ports.ask ||
        ports.ask({"This could not be saved yet. Try again?", failure.text, ""}).choice ==
            model::Answer::Choice::no)
      throw Error(failure.text, store::exit_status_of(failure));
  }
}

void Turn::commit_prompt(std::vector<model::Entry> entries,
                         const std::optional<FailedPrompt>& failed) {
  std::vector<model::Entry> arrived;
  const store::Result<store::AppendResult> outcome =
      send([&] { return conversation.append_prompt(entries, arrived, failed); });
  if (!outcome) throw Error(outcome.error().text, store::exit_status_of(outcome.error()));
  if (!arrived.empty())
    tell(model::Notice::Level::info,
         "Another process has continued this session; your message follows what it wrote:");
  for (const model::Entry& entry : arrived) {
    // The screen has shown its own prompts when they were typed, but not those of another process.
    if (model::is_prompt(entry) || model::is_note(entry))
      tell(model::Notice::Level::info, "› " + model::preview(entry, 400));
    ports.sink(model::Committed{entry});
  }
  for (const model::Entry& entry : outcome->entries) ports.sink(model::Committed{entry});
}

namespace {

// Whether the tool names the one file it writes; other tools may change any file.
bool writes_one_file(const model::Tool& tool) {
  return tool.effect == model::Effect::writes && tool.argument.kind == model::Argument::Kind::file;
}

model::FileKeeper::Moment moment_of(const Turn& turn) {
  return {.session = turn.conversation.session(),
          .prompt = turn.prompt,
          .run_id = turn.run_id,
          .stopped = model::stop_check(turn.ports)};
}

// Returns why nothing may be changed.
std::string take_in(const Parts& parts, Turn& turn, model::FileKeeper::Kept kept) {
  for (model::Entry& entry : kept.entries) entry = parts.cleaned(std::move(entry), turn.run_id);
  if (!kept.entries.empty()) turn.commit(std::move(kept.entries));
  for (std::string& text : kept.notices) turn.tell(model::Notice::Level::warning, std::move(text));
  if (!kept.refusal.empty()) turn.tell(model::Notice::Level::error, kept.refusal);
  return kept.refusal;
}

}  // namespace

std::string save_files(const Parts& parts, Turn& turn, const model::Tool& tool) {
  if (parts.files == nullptr || tool.effect == model::Effect::reads || writes_one_file(tool))
    return {};
  return take_in(parts, turn, parts.files->before_command(moment_of(turn)));
}

std::function<std::string(const model::FileBefore&)> saves_file(const Parts& parts, Turn& turn,
                                                                const model::Tool& tool) {
  if (parts.files == nullptr || !writes_one_file(tool)) return {};
  return [&parts, &turn](const model::FileBefore& file) {
    return take_in(parts, turn, parts.files->before_write(moment_of(turn), file));
  };
}

void save_changed_files(const Parts& parts, Turn& turn) {
  if (parts.files == nullptr) return;
  model::FileKeeper::Moment moment = moment_of(turn);
  // A stopped turn may have changed files, too.
  moment.stopped = model::next_stop_check(turn.ports);
  take_in(parts, turn, parts.files->after_turn(moment));
}

}  // namespace skein::agent
