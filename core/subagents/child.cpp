#include "core/subagents/child.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/payloads.h"
#include "core/store/children.h"
#include "core/text/amounts.h"
#include "core/text/quiet_thread.h"

namespace skein::subagents {

using State = Progress::State;

namespace {

constexpr std::size_t most_warnings = 5;

}  // namespace

std::string_view name(State state) {
  switch (state) {
    case State::working: return "working";
    case State::done: return "done";
    case State::failed: return "failed";
    case State::stopped: return "stopped";
  }
  return "";
}

std::string amounts(const Progress& progress) {
  const model::Usage& used = progress.usage;
  std::string out = counted(static_cast<std::size_t>(progress.calls), "call");
  if (const std::int64_t in = used.input + used.cache_read + used.cache_write; in > 0)
    out += " · " + short_count(in) + " in " + short_count(used.output) + " out";
  if (progress.priced && progress.dollars > 0) out += " · " + dollars(progress.dollars);
  return out;
}

Child::Child(Order order, MakeWorker make, Links links)
    : order_(std::move(order)),
      make_(std::move(make)),
      links_(std::move(links)),
      woken_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  progress_.began_ms = now_ms();
  progress_.doing = "starting";
  try {
    if (woken_) thread_ = quiet_thread([this] { work(); });
  } catch (const std::system_error&) {
  }
  if (!thread_.joinable())
    throw Error("there can be no further agent here: no thread to run it in");
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

// The descriptor is never read: from now on nothing is waited for.
void Child::stop(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (stop_.exchange(true)) return;
    why_stopped_ = why;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(woken_.get(), &one, sizeof one);
}

bool Child::wait(std::chrono::milliseconds time) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [&] { return progress_.state != State::working; });
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
  links_.ended(*this);
  changed_.notify_all();
}

void Child::carry_out(Worker& worker) {
  const Id session = session_in(worker.store(), worker.workspace());
  agent::Conversation conversation(worker.store(), session);
  agent::Settings settings = worker.settings(conversation);
  const model::Ports lines = ports(worker);
  worker.agent().recover(conversation, settings, lines);
  const agent::TurnEnd end =
      worker.agent().run_turn(conversation, model::user_message(order_.prompt), settings, lines);
  worker.store().remember(session, "");
  const std::lock_guard lock(mutex_);
  text_ = end.text;
  trouble_ = agent::ending_of(end).text;
}

Id Child::session_in(store::SessionStore& store, const std::string& workspace) const {
  if (order_.goes_on) return order_.session;
  const store::SessionHeader header{
      .session = order_.session,
      .key = store::child_key(order_.session),
      .cwd = workspace,
      .created_by = "skein " SKEIN_VERSION,
      .created_at = now_utc(),
      .parent_session = store::SessionHeader::Origin{order_.parent, order_.entry}};
  const std::string title =
      order_.agent.name + (order_.description.empty() ? "" : ": " + order_.description);
  const std::vector<store::NewEntry> first{
      {model::make_entry(model::payload::SubAgent{order_.agent.name, order_.call})},
      {model::make_entry(model::payload::Title{title})}};
  return store::value_or_throw(store.create_session(header, first)).record.header.session;
}

model::Ports Child::ports(Worker& worker) {
  model::Ports out;
  out.sink = worker.masking([this, &worker](const model::Event& event) { hear(event, worker); });
  out.stop = &stop_;
  out.input.fd = woken_.get();
  if (links_.ask)
    out.ask = [this](const model::Question& question) {
      model::Question named = question;
      named.text = "agent " + order_.agent.name + ": " + question.text;
      return links_.ask(named);
    };
  return out;
}

void Child::hear(const model::Event& event, Worker& worker) {
  if (const auto* committed = std::get_if<model::Committed>(&event)) {
    const auto message = model::message_of(committed->entry);
    if (message && message->role == model::Role::assistant) note_answer(*message, worker);
  }
  const std::lock_guard lock(mutex_);
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
  std::optional<double> cost;
  if (message.usage) {
    model::Usage one;
    one += *message.usage;
    cost = worker.cost(message.provider + "/" + message.model, one);
  }
  {
    const std::lock_guard lock(mutex_);
    ++progress_.answers;
    if (message.usage) progress_.usage += *message.usage;
    if (message.usage && !cost) progress_.priced = false;
    progress_.dollars += cost.value_or(0);
  }
  // What ends with this answer anyway need not be stopped.
  const std::string why = links_.count(cost);
  if (!why.empty() && message.stop == model::Stop::tool_use) stop(why);
}

}  // namespace skein::subagents
