#include "core/agent/concurrent_calls.h"

namespace skein::agent {

namespace {

constexpr const char* no_threads = "calls cannot run at the same time here";

}  // namespace

ConcurrentCalls::ConcurrentCalls(std::vector<Call> calls, const model::Ports& ports)
    : calls_(std::move(calls)), ports_(ports), woken_(no_threads), outcomes_(calls_.size()) {
  constexpr std::size_t most_threads = 8;
  threads_.reserve(most_threads);
  try {
    while (threads_.size() < std::min(calls_.size(), most_threads))
      threads_.push_back(quiet_thread([this] { work(); }));
  } catch (const std::system_error&) {  // those that did begin will do
    if (threads_.empty()) throw Error(no_threads);
  }
}

ConcurrentCalls::~ConcurrentCalls() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  answered_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ConcurrentCalls::work() {
  for (std::size_t i = 0; (i = begun_++) < calls_.size();) {
    const std::int64_t started = now_ms();
    const Call& call = calls_[i];
    model::ToolOutcome outcome = model::tool_failure("cancelled by the user");
    if (!is_over()) try {
        outcome = call.tool.run(call.call.input, ports_in_thread(call.ports));
      } catch (const std::exception& error) {
        outcome = model::tool_failure(error.what());
      }
    outcome.duration_ms = now_ms() - started;
    const std::lock_guard lock(mutex_);
    outcomes_[i] = std::move(outcome);
    woken_.raise();
  }
}

model::ToolPorts ConcurrentCalls::ports_in_thread(const model::ToolPorts& ports) {
  model::ToolPorts out = ports;
  out.stopped = [this] { return is_over(); };
  out.wake_fd = -1;
  out.output = [this, &ports](std::string_view text) { have_done([&] { ports.output(text); }); };
  out.keep_blob = in_turn(ports.keep_blob);
  out.was_said = in_turn(ports.was_said);
  out.ask = in_turn(ports.ask);
  out.ask_line = in_turn(ports.ask_line);
  out.in_turn = [this](const std::function<void()>& what) { have_done(what); };
  // Tools that write, or that show the user questions or a plan, do not run concurrently.
  out.before_write = {};
  out.inquire = {};
  out.review = {};
  return out;
}

// In the turn's thread, unless that no longer waits.
void ConcurrentCalls::have_done(const std::function<void()>& what) {
  Errand errand{&what};
  std::unique_lock lock(mutex_);
  if (abandoned_) return;
  errands_.push_back(&errand);
  woken_.raise();
  answered_.wait(lock, [&] { return errand.done || abandoned_; });
  if (errand.failure) std::rethrow_exception(errand.failure);
}

// False: there is none.
bool ConcurrentCalls::do_errand() {
  std::unique_lock lock(mutex_);
  if (errands_.empty()) return false;
  Errand& errand = *errands_.front();
  errands_.pop_front();
  lock.unlock();
  std::exception_ptr failure;
  try {
    (*errand.what)();
  } catch (const std::exception&) {  // the tool gets it
    failure = std::current_exception();
  }
  lock.lock();
  errand.failure = failure;
  errand.done = true;
  lock.unlock();
  answered_.notify_all();
  return true;
}

model::ToolOutcome ConcurrentCalls::next() {
  for (;;) {
    while (do_errand()) continue;
    {
      const std::lock_guard lock(mutex_);
      if (std::optional<model::ToolOutcome>& outcome = outcomes_.at(given_)) {
        ++given_;
        return *std::move(outcome);
      }
    }
    // Once stopped, the tools will end soon by themselves, and no key matters any more.
    const bool listens = ports_.input.fd >= 0 && !ports_.stopped();
    pollfd fds[] = {{woken_.fd(), POLLIN, 0}, {listens ? ports_.input.fd : -1, POLLIN, 0}};
    const bool stopped_before = ports_.stopped();
    wait(fds, no_deadline, [&] { return !stopped_before && ports_.stopped(); });
    woken_.clear();
    if (listens && is_readable(ports_.input.fd) && ports_.input.on_ready) ports_.input.on_ready();
  }
}

}  // namespace skein::agent
