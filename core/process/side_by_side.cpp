#include "core/process/side_by_side.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

namespace skein::process {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds grace{1'000};  // between SIGTERM and SIGKILL

// A file in memory rather than a pipe: nothing to feed, and no harm if it is never read.
Fd file_with(const std::string& text) {
  Fd file(memfd_create("command-input", MFD_CLOEXEC));
  if (!file || !write_all(file.get(), text) || lseek(file.get(), 0, SEEK_SET) != 0) return {};
  return file;
}

class RunningCommand {
 public:
  explicit RunningCommand(const UserCommand& command)
      : began_(Clock::now()), due_(began_ + command.time), done_(!start(command)) {
    if (done_) end_.cause = CommandEnd::Cause::not_started;
  }

  bool done() const { return done_; }
  CommandEnd result() { return std::move(end_); }

  // What to wait for; and until when at the latest.
  void add_to(std::vector<pollfd>& fds) const {
    for (const int fd : {output_.get(), errors_.get(), ended_ ? -1 : process_.get()})
      fds.push_back({done_ ? -1 : fd, POLLIN, 0});
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
    done_ = ended_ && ((!output_ && !errors_) || now >= given_up_);
  }

 private:
  bool start(const UserCommand& command) {
    const Fd input = file_with(command.input);
    Pipe output = make_pipe(), errors = make_pipe();
    const Fd folder(open(command.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    end_.code = errno;
    if (!input || !output.read || !errors.read || !folder) return false;
    const StartedChild child = start_child({.arguments = command.arguments,
                                            .environment = command.environment,
                                            .folder = folder.get(),
                                            .input = input.get(),
                                            .output = output.write.get(),
                                            .errors = errors.write.get()});
    end_.code = child.error;
    if (child.error != 0) return false;
    pid_ = child.pid;
    output_ = std::move(output.read);
    errors_ = std::move(errors.read);
    for (const Fd* fd : {&output_, &errors_}) fcntl(fd->get(), F_SETFL, O_NONBLOCK);
    process_ = process_descriptor(pid_);
    return true;
  }

  // What is beyond the limit is read and dropped: a full pipe would hold the program up.
  void take(Fd& from, std::string& to, std::size_t most) {
    std::array<char, 64 * 1024> buffer;
    const std::string_view piece = read_ready(from, buffer);
    const std::size_t room = most - to.size();
    to += piece.substr(0, room);
    if (piece.size() > room && &to == &end_.output) end_.cut = true;
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
      end_.cause = by_signal ? CommandEnd::Cause::signalled : CommandEnd::Cause::exited;
      end_.code = by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
    } else if (!stopping_ && (stopped || now >= due_)) {
      stopping_ = true;
      end_.cause = now >= due_ ? CommandEnd::Cause::timed_out : CommandEnd::Cause::stopped;
      kill(-pid_, SIGTERM);
      kill_at_ = now + grace;
    } else if (stopping_ && now >= kill_at_) {
      kill(-pid_, SIGKILL);
      kill_at_ = no_deadline;
    }
  }

  Clock::time_point began_;
  Deadline due_, kill_at_ = no_deadline, given_up_ = no_deadline;
  pid_t pid_ = -1;
  Fd output_{}, errors_{}, process_{};
  bool stopping_ = false, ended_ = false;
  CommandEnd end_{};
  bool done_;
};

}  // namespace

std::vector<CommandEnd> run_all(std::span<const UserCommand> commands, const model::Ports& ports,
                                const std::function<bool()>& ends) {
  std::vector<RunningCommand> running;
  running.reserve(commands.size());
  for (const UserCommand& each : commands) running.emplace_back(each);
  int keyboard = ports.input.on_ready ? ports.input.fd : -1;
  bool stopped = false;
  const auto stops = [&] { return ends ? ends() : ports.stopped(); };
  const std::function<bool()> stop_asked = [&] { return !stopped && stops(); };
  while (!std::ranges::all_of(running, &RunningCommand::done)) {
    std::vector<pollfd> fds;
    Deadline until = no_deadline;
    for (const RunningCommand& each : running) {
      each.add_to(fds);
      until = std::min(until, each.deadline());
    }
    fds.push_back({keyboard, POLLIN, 0});
    if (wait(fds, until, stop_asked) != Wake::ready)
      for (pollfd& fd : fds) fd.revents = 0;
    if (fds.back().revents != 0) {
      ports.input.on_ready();
      // If that has not emptied it, nothing will.
      if (!stops() && is_readable(keyboard)) keyboard = -1;
    }
    stopped = stopped || stops();
    for (std::size_t i = 0; i < running.size(); ++i)
      running[i].look(std::span(fds).subspan(i * 3, 3), stopped);
  }
  std::vector<CommandEnd> out;
  for (RunningCommand& each : running) out.push_back(each.result());
  return out;
}

}  // namespace skein::process
