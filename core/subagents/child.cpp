#include "core/subagents/child.h"

#include "core/store/children.h"
#include "core/text/text.h"

namespace skein::subagents {

using State = Progress::State;

namespace {

constexpr std::size_t most_warnings = 5;
constexpr const char* no_thread = "cannot start another agent: the system has no thread for it";
constexpr std::string_view state_names[] = {"working", "done", "failed", "stopped"};

}  // namespace

std::string_view name(State state) { return state_names[static_cast<std::size_t>(state)]; }

std::string amounts(const Progress& progress) {
  const model::Usage& used = progress.usage;
  std::string out = counted(static_cast<std::size_t>(progress.calls), "call");
  if (const std::int64_t in = model::whole_input(used); in > 0)
    out += " · " + short_count(in) + " in " + short_count(used.output) + " out";
  if (progress.priced && progress.dollars > 0) out += " · " + dollars(progress.dollars);
  return out;
}

Child::Child(AgentTask task, MakeWorker make, Links links)
    : task_(std::move(task)), make_(std::move(make)), links_(std::move(links)), woken_(no_thread) {
  progress_.began_ms = now_ms();
  progress_.doing = "starting";
  try {
    thread_ = quiet_thread([this] { work(); });
  } catch (const std::system_error&) {
    throw Error(no_thread);
  }
}

Child::~Child() {
  stop("skein ended");
  finish();
}

void Child::finish() {
  if (thread_.joinable()) thread_.join();
}

Progress Child::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

// The signal is never cleared: from now on nothing is waited for.
void Child::stop(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (stop_.exchange(true)) return;
  why_stopped_ = why;
  woken_.raise();
}

bool Child::wait(std::chrono::milliseconds time) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [&] { return reported_; });
}

void Child::work() {
  std::string trouble;
  try {
    const std::unique_ptr<Worker> worker = make_();
    carry_out(*worker);
  } catch (const std::exception& error) {  // the end of a sub-agent, not of the program
    trouble = error.what();
  }
  {
    const std::lock_guard lock(mutex_);
    if (!trouble.empty()) trouble_ = trouble;
    progress_.state = stop_ ? State::stopped : trouble_.empty() ? State::done : State::failed;
    if (stop_) trouble_ = "stopped: " + why_stopped_;
    progress_.doing.clear();
    progress_.ended_ms = now_ms();
  }
  // First the report, then the end: an idle prompt looks for reports while an agent works.
  links_.ended(*this);
  const std::lock_guard lock(mutex_);
  reported_ = true;
  changed_.notify_all();
}

void Child::carry_out(Worker& worker) {
  const Id session = session_in(worker.store(), worker.workspace());
  agent::Conversation conversation(worker.store(), session);
  agent::Settings settings = worker.settings(conversation);
  const model::Ports lines = ports(worker, conversation);
  worker.agent().recovery().recover(conversation, settings, lines);
  const agent::TurnEnd end =
      worker.agent().run_turn(conversation, model::user_message(task_.prompt), settings, lines);
  worker.store().presence().remember(session, "");
  const std::lock_guard lock(mutex_);
  text_ = end.text;
  trouble_ = agent::ending_of(end).text;
}

Id Child::session_in(store::SessionStore& store, const std::string& workspace) const {
  if (task_.goes_on) return task_.session;
  const store::SessionHeader header{
      .session = task_.session,
      .key = store::child_key(task_.session),
      .cwd = workspace,
      .created_by = "skein " SKEIN_VERSION,
      .created_at = now_utc(),
      .parent_session = store::SessionHeader::Origin{task_.parent, task_.entry}};
  const std::string title =
      task_.agent.name + (task_.description.empty() ? "" : ": " + task_.description);
  const std::vector<store::NewEntry> first{
      {model::make_entry(model::payload::SubAgent{task_.agent.name, task_.call})},
      {model::make_entry(model::payload::Title{title})}};
  return store::value_or_throw(store.sessions().create(header, first)).record.header.session;
}

model::Ports Child::ports(Worker& worker, const agent::Conversation& conversation) {
  model::Ports out;
  out.sink = worker.masking([this, &worker, &conversation](const model::Event& event) {
    hear(event, worker, conversation);
  });
  out.stop = &stop_;
  out.input.fd = woken_.fd();
  if (links_.ask)
    out.ask = [this](const model::Question& question) {
      model::Question named = question;
      const std::string who = "agent " + task_.agent.name;
      named.text = question.request.empty() ? who + ": " + question.text
                                            : who + " wants to " + question.request + "?";
      return links_.ask(named);
    };
  return out;
}

void Child::hear(const model::Event& event, Worker& worker,
                 const agent::Conversation& conversation) {
  if (const auto* committed = std::get_if<model::Committed>(&event)) {
    const auto message = model::message_of(committed->entry);
    if (message && message->role == model::Role::assistant) note_answer(*message, worker);
  }
  const std::lock_guard lock(mutex_);
  if (std::holds_alternative<model::Committed>(event)) progress_.used = conversation.state().usage;
  if (const auto* started = std::get_if<model::ToolStarted>(&event))
    progress_.doing = started->title;
  else if (const auto* retrying = std::get_if<model::Retrying>(&event))
    progress_.doing = retrying->reason;
  else if (std::holds_alternative<model::ToolEnded>(event))
    ++progress_.calls, progress_.doing = "thinking";
  else if (const auto* notice = std::get_if<model::Notice>(&event);
           notice != nullptr && notice->level != model::Notice::Level::info &&
           warnings_.size() < most_warnings)
    warnings_.push_back(notice->text);
}

void Child::note_answer(const model::Message& message, Worker& worker) {
  model::Usage used;
  if (message.usage) used += *message.usage;
  std::optional<double> cost = 0;
  if (message.usage) cost = worker.cost(message.provider + "/" + message.model, used);
  {
    const std::lock_guard lock(mutex_);
    ++progress_.answers;
    progress_.usage += used;
    if (!cost) progress_.priced = false;
    progress_.dollars += cost.value_or(0);
  }
  // What ends with this answer anyway need not be stopped.
  const std::string why = links_.count(cost);
  if (!why.empty() && message.stop == model::Stop::tool_use) stop(why);
}

}  // namespace skein::subagents
