#include "core/hooks/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <utility>

#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/wait.h"

namespace skein::hooks {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds grace{1'000};     // between SIGTERM and SIGKILL
constexpr milliseconds afterwards{100};  // for output of a program that has ended
constexpr milliseconds glance{20};       // where the kernel cannot tell of a process's end

std::vector<char*> argument_pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// A file in memory rather than a pipe: nothing to feed, and no harm if it is never read.
Fd file_with(const std::string& text) {
  Fd file(memfd_create("hook-input", MFD_CLOEXEC));
  if (!file || !write_all(file.get(), text) || lseek(file.get(), 0, SEEK_SET) != 0) return {};
  return file;
}

// Between fork and exec only async-signal-safe calls are allowed.
struct Plan {
  char* const* argv;
  char* const* envp;
  int input, output, errors, report, folder;
  pid_t parent;
};

[[noreturn]] void become_hook(const Plan& plan) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != plan.parent) _exit(127);  // it died before it could be asked for
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(plan.input, 0) == 0 && dup2(plan.output, 1) == 1 && dup2(plan.errors, 2) == 2 &&
      fchdir(plan.folder) == 0)
    execvpe(plan.argv[0], plan.argv, plan.envp);
  const int error = errno;
  if (write(plan.report, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

class Hook {
 public:
  explicit Hook(const Order& order) : began_(Clock::now()), due_(began_ + order.time) {
    if (!start(order)) {
      end_.cause = ProcessEnd::Cause::not_started;
      done_ = true;
    }
  }

  bool done() const { return done_; }
  ProcessEnd result() { return std::move(end_); }

  // What to wait for; and until when at the latest.
  void add_to(std::vector<pollfd>& fds) const {
    fds.push_back({done_ ? -1 : output_.get(), POLLIN, 0});
    fds.push_back({done_ ? -1 : errors_.get(), POLLIN, 0});
    fds.push_back({done_ || ended_ ? -1 : process_.get(), POLLIN, 0});
  }
  Deadline deadline() const {
    if (done_) return no_deadline;
    const Deadline own = ended_ ? given_up_ : stopping_ ? kill_at_ : due_;
    return ended_ || process_ ? own : std::min(own, Clock::now() + glance);
  }

  void look(std::span<const pollfd> fds, bool stopped) {
    if (done_) return;
    if (fds[0].revents != 0) take(output_, end_.output, most_output);
    if (fds[1].revents != 0) take(errors_, end_.errors, most_errors);
    const Clock::time_point now = Clock::now();
    if (!ended_) see_to_its_end(now, stopped);
    if (ended_ && ((!output_ && !errors_) || now >= given_up_)) finish();
  }

 private:
  bool start(const Order& order) {
    Fd input = file_with(order.input);
    Pipe output = make_pipe(), errors = make_pipe(), report = make_pipe();
    const Fd folder(open(order.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    end_.code = errno;
    if (!input || !output.read || !errors.read || !report.read || !folder) return false;
    const std::vector<char*> argv = argument_pointers(order.arguments);
    const std::vector<char*> envp = argument_pointers(order.environment);
    const Plan plan{argv.data(),        envp.data(),        input.get(),  output.write.get(),
                    errors.write.get(), report.write.get(), folder.get(), getpid()};
    pid_ = fork();
    if (pid_ == 0) become_hook(plan);
    end_.code = errno;
    if (pid_ < 0) return false;
    report.write.reset();
    int error = 0;  // the pipe closes by itself when exec succeeds
    ssize_t got = 0;
    while ((got = read(report.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    end_.code = error;
    if (got > 0) {
      wait_for_child(pid_);
      return false;
    }
    output_ = std::move(output.read);
    errors_ = std::move(errors.read);
    for (const Fd* fd : {&output_, &errors_}) fcntl(fd->get(), F_SETFL, O_NONBLOCK);
    process_ = process_descriptor(pid_);
    return true;
  }

  // What is beyond the limit is read and dropped: a full pipe would hold the program up.
  void take(Fd& from, std::string& to, std::size_t most) {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = read(from.get(), buffer.data(), buffer.size());
    if (got > 0) {
      const std::size_t room = most - to.size();
      const auto count = static_cast<std::size_t>(got);
      to.append(buffer.data(), std::min(room, count));
      if (count > room && &to == &end_.output) end_.cut = true;
    }
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) from.reset();
  }

  bool has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }

  void see_to_its_end(Clock::time_point now, bool stopped) {
    if (has_ended()) {
      // The leader is not reaped yet, so its group's number cannot belong to another.
      kill(-pid_, SIGKILL);
      const int status = wait_for_child(pid_);
      ended_ = true;
      given_up_ = now + afterwards;
      end_.ms = std::chrono::duration_cast<milliseconds>(now - began_).count();
      if (stopping_) return;
      const bool by_signal = WIFSIGNALED(status);
      end_.cause = by_signal ? ProcessEnd::Cause::signalled : ProcessEnd::Cause::exited;
      end_.code = by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
    } else if (!stopping_ && (stopped || now >= due_)) {
      stopping_ = true;
      end_.cause = now >= due_ ? ProcessEnd::Cause::timed_out : ProcessEnd::Cause::stopped;
      kill(-pid_, SIGTERM);
      kill_at_ = now + grace;
    } else if (stopping_ && now >= kill_at_) {
      kill(-pid_, SIGKILL);
      kill_at_ = no_deadline;
    }
  }

  void finish() {
    output_.reset();
    errors_.reset();
    done_ = true;
  }

  Clock::time_point began_;
  Deadline due_, kill_at_ = no_deadline, given_up_ = no_deadline;
  pid_t pid_ = -1;
  Fd output_{}, errors_{}, process_{};
  bool stopping_ = false, ended_ = false, done_ = false;
  ProcessEnd end_{};
};

}  // namespace

std::vector<ProcessEnd> run_all(std::span<const Order> orders, const model::Ports& ports,
                                const std::function<bool()>& ends) {
  std::vector<Hook> hooks;
  hooks.reserve(orders.size());
  for (const Order& order : orders) hooks.emplace_back(order);
  int keyboard = ports.input.on_ready ? ports.input.fd : -1;
  bool stopped = false;
  const auto stops = [&] { return ends ? ends() : ports.stopped(); };
  const std::function<bool()> stop_asked = [&] { return !stopped && stops(); };
  while (!std::ranges::all_of(hooks, &Hook::done)) {
    std::vector<pollfd> fds;
    Deadline until = no_deadline;
    for (const Hook& hook : hooks) {
      hook.add_to(fds);
      until = std::min(until, hook.deadline());
    }
    fds.push_back({keyboard, POLLIN, 0});
    if (wait(fds, until, stop_asked) != Wake::ready)
      for (pollfd& each : fds) each.revents = 0;
    if (fds.back().revents != 0) {
      ports.input.on_ready();
      // If that has not emptied it, nothing will.
      if (!stops() && is_readable(keyboard)) keyboard = -1;
    }
    stopped = stopped || stops();
    for (std::size_t i = 0; i < hooks.size(); ++i)
      hooks[i].look(std::span(fds).subspan(i * 3, 3), stopped);
  }
  std::vector<ProcessEnd> out;
  for (Hook& hook : hooks) out.push_back(hook.result());
  return out;
}

}  // namespace skein::hooks
