#include "app/driven/headless_session.h"

#include "core/checkpoints/rewind.h"
#include "core/text/text.h"

namespace skein::app::driven {

using agent::Agent, agent::TurnEnd, model::Notice, model::Ports;
using permission::Decision;

void Spent::hear(const model::Event& event) {
  const auto* committed = std::get_if<model::Committed>(&event);
  const auto message = committed ? model::message_of(committed->entry) : std::nullopt;
  if (message) screen::add(turn, *message);
}

project::RenderedCommand rendered_prompt(Application& application, const std::string& prompt,
                                         const permission::Rules& rules,
                                         const std::atomic<bool>& stop) {
  project::RenderedCommand plain{.text = prompt, .mentions = prompt};
  if (!prompt.starts_with('/')) return plain;
  const auto [name, arguments] = first_word(std::string_view(prompt).substr(1));
  Ports ports;
  ports.stop = &stop;
  return application.render(name, trimmed(arguments, " "), {.rules = rules, .ports = ports})
      .value_or(plain);
}

model::PromptWithFiles with_named_files(Application& application, const std::string& prompt,
                                        const std::string& words, const permission::Rules& rules,
                                        const std::atomic<bool>& stop,
                                        std::vector<std::string>& remarks) {
  remarks.clear();
  model::AttachPorts ports;
  const model::Tool* const found = model::find_file_reader(application.tools());
  if (found == nullptr) return {.message = model::user_message(prompt)};
  const model::Tool& reader = *found;
  ports.locate = reader.locate;
  ports.may = [&](const std::string& name, const model::Located& place) {
    const Decision decision = permission::decide_mention(rules, application.tools(), name);
    if (decision.verdict == Decision::Verdict::allow) return true;
    remarks.push_back(
        name + " is not attached: " + decision.reason +
        (decision.verdict == Decision::Verdict::ask && place.below.empty()
             ? " (--allowed-tools '" + reader.name + "(/" + place.absolute + ")' would allow it)"
             : ""));
    return false;
  };
  ports.tell = [&](const std::string& remark) { remarks.push_back(remark); };
  ports.keep_blob = [&](std::string_view bytes) {
    return store::value_or_throw(application.store().blobs().keep_blob(bytes));
  };
  if (reader.document_text)
    ports.document = [&](std::string_view bytes) {
      return reader.document_text(bytes, [&stop] { return stop.load(); });
    };
  Ports asking;
  asking.stop = &stop;
  ports.fetch = [&](const std::string& name) {
    return application.fetch(name, {.rules = rules, .ports = asking});
  };
  return model::with_files(prompt, words, ports);
}

std::string trouble_with(const TurnEnd& end, const std::string& advice) {
  const model::Ending ending = agent::ending_of(end);
  return ending.can_go_on && !advice.empty() ? ending.text + "; " + advice : ending.text;
}

HeadlessSession::HeadlessSession(Application& application, const ChosenSession& chosen)
    : application_(application),
      chosen_(chosen),
      conversation_(application.store(), chosen.session) {
  if (chosen_.remember)
    application_.store().presence().enter(chosen_.session, application_.workspace());
  settings_ = application_.settings_for(conversation_);
}

void HeadlessSession::take_wishes(const project::RenderedCommand& said,
                                  std::vector<std::string>& remarks) {
  if (!said.model.empty() && said.model != "inherit") try {
      const model::ThinkingLevel thinking = settings_.model.thinking;
      settings_.model = application_.catalog().parse(said.model);
      settings_.model.thinking = thinking;
    } catch (const Error& error) {
      remarks.push_back(model::to_string(settings_.model) + " answers: " + error.what());
    }
  if (const auto level = model::parse_thinking_level(said.effort))
    settings_.model.thinking = *level;
}

void HeadlessSession::show_notices(const Ports& ports, const std::vector<std::string>& warnings,
                                   const std::vector<std::string>& infos) {
  const auto show = [&](Notice::Level level, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) ports.sink(Notice{level, text});
  };
  show(Notice::Level::warning, conversation_.notices());
  show(Notice::Level::warning, application_.config().notices);
  show(Notice::Level::warning, application_.notices());
  show(Notice::Level::warning, settings_.notices);
  show(Notice::Level::warning, warnings);
  show(Notice::Level::info, infos);
  show(Notice::Level::info, application_.take_up_work(conversation_));
}

void HeadlessSession::recover(const Ports& ports) {
  application_.agent().recovery().recover(conversation_, settings_, ports);
}

TurnEnd HeadlessSession::take_turn(const Agent::Prompt& prompt, const Ports& ports) {
  StructuredAnswer* const structured = application_.structured();
  if (structured != nullptr) structured->begin_turn();
  TurnEnd end = run(prompt, ports);
  if (structured == nullptr) return end;
  if (structured->answer()) {
    end.text = *structured->answer();
  } else if (end.stop == model::Stop::stop) {
    end.stop = model::Stop::error;
    end.error = std::string(no_structured_answer);
  }
  return end;
}

TurnEnd HeadlessSession::run(const Agent::Prompt& prompt, const Ports& ports) {
  Agent& agent = application_.agent();
  if (!model::says_something(prompt.message)) {
    if (conversation_.path().empty()) throw UsageError("there is nothing to continue");
    return agent.go_on(conversation_, settings_, ports);
  }
  if (const std::string note =
          checkpoints::note_on_files(application_.store().transcripts(), chosen_.session);
      !note.empty())
    agent.note(conversation_, note, settings_, ports);
  if (const std::string note = application_.folders().news(chosen_.session); !note.empty())
    agent.note(conversation_, agent::news(note, "folder"), settings_, ports);
  return agent.run_turn(conversation_, prompt, settings_, ports);
}

std::string HeadlessSession::leave(const Ports& ports) {
  std::string left = application_.leave_work(false);
  Ports unstopped = ports;
  unstopped.stop = nullptr;
  unstopped.input = {};
  agent::Turn last{conversation_, settings_, unstopped};
  application_.agent().hooks().session_ends(last, ports.stopped() ? "signal" : "other");
  if (chosen_.remember) application_.store().presence().remember(chosen_.session, "");
  return left;
}

}  // namespace skein::app::driven
