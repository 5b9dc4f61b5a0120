#include "core/agent/concurrent_calls.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "core/text/base.h"
#include "core/text/quiet_thread.h"
#include "core/text/wait.h"

namespace skein::agent {

namespace {

constexpr std::size_t most_threads = 8;

}  // namespace

ConcurrentCalls::ConcurrentCalls(std::vector<Call> calls, const model::Ports& ports)
    : calls_(std::move(calls)),
      ports_(ports),
      woken_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      outcomes_(calls_.size()) {
  const char* const refused = "calls cannot run at the same time here";
  if (!woken_) throw Error(refused);
  threads_.reserve(most_threads);
  try {
    while (threads_.size() < std::min(calls_.size(), most_threads))
      threads_.push_back(quiet_thread([this] { work(); }));
  } catch (const std::system_error&) {  // those that did begin will do
    if (threads_.empty()) throw Error(refused);
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

void ConcurrentCalls::wake() const {
  const std::uint64_t one = 1;
  // It can only fail when it is set already.
  [[maybe_unused]] const ssize_t written = write(woken_.get(), &one, sizeof one);
}

void ConcurrentCalls::work() {
  for (std::size_t i = 0; (i = begun_++) < calls_.size();) {
    const std::int64_t started = now_ms();
    model::ToolOutcome outcome =
        is_over() ? model::tool_failure("cancelled by the user") : run(calls_[i]);
    outcome.duration_ms = now_ms() - started;
    const std::lock_guard lock(mutex_);
    outcomes_[i] = std::move(outcome);
    wake();
  }
}

model::ToolOutcome ConcurrentCalls::run(const Call& call) {
  try {
    return call.tool.run(call.call.input, ports_in_thread(call.ports));
  } catch (const std::exception& error) {
    return model::tool_failure(error.what());
  }
}

model::ToolPorts ConcurrentCalls::ports_in_thread(const model::ToolPorts& ports) {
  model::ToolPorts out = ports;
  out.stopped = [this] { return is_over(); };
  out.wake_fd = -1;
  out.output = [this, &ports](std::string_view text) { have_done([&] { ports.output(text); }); };
  if (ports.keep_blob)
    out.keep_blob = [this, &ports](std::string_view bytes) {
      std::string name;
      have_done([&] { name = ports.keep_blob(bytes); });
      return name;
    };
  if (ports.was_said)
    out.was_said = [this, &ports](std::string_view text) {
      bool said = false;
      have_done([&] { said = ports.was_said(text); });
      return said;
    };
  if (ports.ask)
    out.ask = [this, &ports](const model::Question& question) {
      model::Answer answer;
      have_done([&] { answer = ports.ask(question); });
      return answer;
    };
  if (ports.ask_line)
    out.ask_line = [this, &ports](const model::LineQuestion& question) {
      std::optional<std::string> line;
      have_done([&] { line = ports.ask_line(question); });
      return line;
    };
  out.in_turn = [this](const std::function<void()>& what) { have_done(what); };
  // What writes, or asks for longer than a word, does not run beside others.
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
  wake();
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
  } catch (const std::exception&) {  // it is the tool's to hear of
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
    pollfd fds[] = {{woken_.get(), POLLIN, 0}, {listens ? ports_.input.fd : -1, POLLIN, 0}};
    const bool stopped_before = ports_.stopped();
    wait(fds, no_deadline, [&] { return !stopped_before && ports_.stopped(); });
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(woken_.get(), &count, sizeof count);
    if (listens && is_readable(ports_.input.fd) && ports_.input.on_ready) ports_.input.on_ready();
  }
}

}  // namespace skein::agent
