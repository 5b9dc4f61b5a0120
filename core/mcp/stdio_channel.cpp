#include "core/mcp/stdio_channel.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "core/process/child.h"
#include "core/process/environment.h"
#include "core/process/supervisor.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

// How long we wait for servers when we leave: most end as soon as their input does.
constexpr std::chrono::milliseconds farewell{250};
// After its input has ended a server has so much time, and again after SIGTERM.
constexpr std::chrono::milliseconds grace{1'000};

constexpr std::size_t longest_message = 64u << 20;
constexpr std::size_t kept_errors = 8u << 10;
constexpr std::size_t most_garbage = 1'000;  // lines in a row that are no messages

bool would_block() { return errno == EAGAIN || errno == EINTR; }

// The program that `command` names, as a shell would find it; empty: none.
std::string find_program(const std::string& command, const std::string& folder,
                         const std::vector<std::string>& environment) {
  if (command.starts_with('/')) return command;
  if (command.starts_with("~/")) return with_user_home(command);
  if (command.find('/') != std::string::npos) return folder + "/" + command;
  constexpr std::string_view path = "PATH=";
  const auto found = std::ranges::find_if(
      environment, [&](const std::string& entry) { return entry.starts_with(path); });
  if (found == environment.end()) return {};
  // A relative folder would mean a folder below the one the server runs in.
  for (const std::string_view each : split(std::string_view(*found).substr(path.size()), ':'))
    if (const std::string file = std::string(each) + "/" + command;
        each.starts_with('/') && access(file.c_str(), X_OK) == 0)
      return file;
  return {};
}

// What a server is started with: nothing of skein's environment but what every program needs, and
// its own entry.
std::vector<std::string> server_environment(const ServerEntry& entry,
                                            const ServerSurroundings& around) {
  std::vector<std::string> out = process::command_environment(around.environment, "");
  for (const std::string& each : around.environment)
    if (each.starts_with("TMPDIR=") || each.starts_with("XDG_")) out.push_back(each);
  out.push_back("SKEIN_PROJECT_DIR=" + around.workspace);
  for (const auto& [name, value] : entry.environment) {
    std::erase_if(out, [&](const std::string& each) { return each.starts_with(name + "="); });
    out.push_back(name + "=" + value);
  }
  return out;
}

// The server is below a supervisor: when skein closes the line to that, or dies, the server gets a
// moment to end by itself, then its whole group is ended; wrappers such as npx would leave their
// children running.
class StdioChannel : public Channel {
 public:
  StdioChannel(const ServerEntry& entry, const ServerSurroundings& around, Events events)
      : command_(entry.command), events_(std::move(events)) {
    const bool theirs = entry.source == ServerEntry::Source::workspace;
    // The workspace is not the user's: nothing of theirs is looked for in it.
    const std::string base = theirs ? around.workspace : around.home.empty() ? "/" : around.home;
    folder_ = entry.folder.empty()            ? base
              : entry.folder.starts_with('/') ? entry.folder
                                              : base + "/" + entry.folder;
    program_.environment = server_environment(entry, around);
    program_.arguments = entry.arguments;
    program_.arguments.insert(program_.arguments.begin(), entry.command);
    program_.path = find_program(entry.command, folder_, program_.environment);
    thread_ = quiet_thread([this] { run(); });
  }
  ~StdioChannel() override {
    StdioChannel::close();
    thread_.join();
  }
  StdioChannel(const StdioChannel&) = delete;
  StdioChannel& operator=(const StdioChannel&) = delete;

  using Channel::send;
  void send(JsonText message, Parameters) override {
    {
      const std::lock_guard hold(lock_);
      outbox_.push_back(std::move(message) + "\n");
    }
    wake_.raise();
  }

  void close() override {
    leaving_ = true;
    wake_.raise();
  }

  std::string diagnostics() const override {
    const std::lock_guard hold(lock_);
    return errors_ + (garbage_ == 0 ? ""
                                    : "\n[" + std::to_string(garbage_) +
                                          " lines of its output were not messages]");
  }

 private:
  void run() {
    try {
      start();
      exchange();
      if (!leaving_) events_.closed(why_it_ended());
    } catch (const std::exception& error) {  // the end of a server, not of the program
      if (!leaving_) events_.closed(error.what());
    }
    input_.reset();
    supervisor_.reset();  // waits a moment; a server that takes longer ends after we have gone on
    output_.reset();
    from_errors_.reset();
  }

  void start() {
    if (program_.path.empty()) throw Error("there is no program " + command_);
    Pipe in = make_pipe(), out = make_pipe(), err = make_pipe();
    if (!in.read || !out.read || !err.read) throw Error("cannot make a pipe: too many open files?");
    const Fd opened(open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!opened) throw Error("cannot run " + program_.path + ": " + std::strerror(errno));
    program_.folder = opened.get();
    program_.input = in.read.get();
    program_.output = out.write.get();
    program_.errors = err.write.get();
    supervisor_.emplace(program_, process::Supervision{.grace = grace});
    if (supervisor_->error() != 0)
      throw Error("cannot run " + program_.path + ": " + std::strerror(supervisor_->error()));
    supervisor_->patience = farewell;
    input_ = std::move(in.write);
    output_ = std::move(out.read);
    from_errors_ = std::move(err.read);
    for (const Fd* end : {&input_, &output_, &from_errors_}) fcntl(end->get(), F_SETFL, O_NONBLOCK);
  }

  // In half a sentence: "it ended with status 1". Waits for its end a moment.
  std::string why_it_ended() {
    input_.reset();
    supervisor_->release();
    const Deadline due = std::chrono::steady_clock::now() + farewell;
    while (!supervisor_->end() && wait(supervisor_->line(), due) == Wake::signal) {
    }
    const auto end = supervisor_->end();
    while (take_errors()) {
    }
    if (too_long_) return "it sent a message of more than 64 MiB";
    if (garbage_in_a_row_ >= most_garbage) return "its output is not in the form of MCP messages";
    if (!end) return "it closed its output" + last_words();
    if (WIFSIGNALED(end->status))
      return "it was ended by signal " + std::to_string(WTERMSIG(end->status)) + ", " +
             strsignal(WTERMSIG(end->status)) + last_words();
    return "it ended with status " + std::to_string(WEXITSTATUS(end->status)) + last_words();
  }

  // Until it has closed its output, or we leave.
  void exchange() {
    while (!leaving_) {
      bool to_write = !sending_.empty();
      if (!to_write) {
        const std::lock_guard hold(lock_);
        if (!outbox_.empty()) {
          sending_ = std::move(outbox_.front());
          outbox_.pop_front();
          to_write = true;
        }
      }
      std::array<pollfd, 4> fds{{{output_.get(), POLLIN, 0},
                                 {from_errors_.get(), POLLIN, 0},
                                 {wake_.fd(), POLLIN, 0},
                                 {to_write ? input_.get() : -1, POLLOUT, 0}}};
      wait(fds, no_deadline);
      if (fds[2].revents != 0) wake_.clear();
      take_errors();
      if (!take_output()) return;
      if (to_write) give_input();
    }
  }

  // False: there will be no more.
  bool take_output() {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = read(output_.get(), buffer.data(), buffer.size());
    if (got < 0) return would_block();
    if (got == 0) return false;
    std::string_view piece(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = piece.find('\n')) != std::string_view::npos;
         piece.remove_prefix(end + 1)) {
      line_ += piece.substr(0, end);
      take_line(std::exchange(line_, {}));
    }
    line_ += piece;
    too_long_ = line_.size() > longest_message;
    return !too_long_ && garbage_in_a_row_ < most_garbage;
  }

  void take_line(std::string line) {
    const std::string_view text = trimmed(line);
    if (text.empty()) return;
    if (text.starts_with('{') || text.starts_with('[')) {
      garbage_in_a_row_ = 0;
      return events_.message(std::move(line));
    }
    ++garbage_in_a_row_;
    const std::lock_guard hold(lock_);
    ++garbage_;
  }

  // False: there is nothing now.
  bool take_errors() {
    if (!from_errors_) return false;
    std::array<char, 4096> buffer;
    const ssize_t got = read(from_errors_.get(), buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && !would_block())) from_errors_.reset();
    if (got <= 0) return false;
    const std::lock_guard hold(lock_);
    errors_.append(buffer.data(), static_cast<std::size_t>(got));
    if (errors_.size() > kept_errors) errors_.erase(0, errors_.size() - kept_errors);
    return true;
  }

  // What it does not read is lost with it: its output has ended then, or will.
  void give_input() {
    const ssize_t written = write(input_.get(), sending_.data() + sent_, sending_.size() - sent_);
    if (written > 0) sent_ += static_cast<std::size_t>(written);
    if ((written < 0 && !would_block()) || sent_ == sending_.size()) {
      sending_.clear();
      sent_ = 0;
    }
  }

  std::string last_words() const {
    constexpr std::size_t shown = 600;
    const std::lock_guard hold(lock_);
    std::string_view words = trimmed(errors_);
    if (words.size() > shown) words = words.substr(words.find('\n', words.size() - shown) + 1);
    if (words.size() > shown) words = words.substr(words.size() - shown);
    return words.empty() ? "" : "; its last output: " + valid_utf8(words);
  }

  process::Program program_;
  std::string folder_{};  // that it runs in
  std::string command_;   // as it was configured, for people
  Events events_;
  Signal wake_{cannot_wait};
  std::atomic<bool> leaving_{false};
  Fd input_{}, output_{}, from_errors_{};  // of the server; our ends, which do not block
  std::optional<process::Supervisor> supervisor_{};

  mutable std::mutex lock_{};  // for the two below and `garbage_`
  std::deque<std::string> outbox_{};
  std::string errors_{};  // the end of what it wrote there
  std::size_t garbage_ = 0;

  std::string line_{};  // the beginning of one
  bool too_long_ = false;
  std::size_t garbage_in_a_row_ = 0;
  std::string sending_{};
  std::size_t sent_ = 0;  // of it
  std::thread thread_{};  // last: it uses all the others
};

}  // namespace

std::unique_ptr<Channel> open_stdio_channel(const ServerEntry& entry,
                                            const ServerSurroundings& around,
                                            Channel::Events events) {
  return std::make_unique<StdioChannel>(entry, around, std::move(events));
}

}  // namespace skein::mcp
