#include "core/mcp/stdio_channel.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "core/text/quiet_thread.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "core/tools/sandbox/environment.h"

namespace skein::mcp {

namespace {

constexpr std::size_t kept_errors = 8u << 10;
constexpr std::size_t most_garbage = 1'000;  // lines in a row that are no messages

bool would_block() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

std::vector<std::string> server_environment(const ServerEntry& entry,
                                            const StdioChannel::Surroundings& around) {
  std::vector<std::string> out = tools::sandbox::command_environment(around.environment, "");
  for (const std::string& each : around.environment)
    if (each.starts_with("TMPDIR=") || each.starts_with("XDG_")) out.push_back(each);
  out.push_back("SKEIN_PROJECT_DIR=" + around.workspace);
  for (const auto& [name, value] : entry.environment) {
    std::erase_if(out, [&](const std::string& each) { return each.starts_with(name + "="); });
    out.push_back(name + "=" + value);
  }
  return out;
}

StdioChannel::StdioChannel(const ServerEntry& entry, const Surroundings& around, Events events)
    : command_(entry.command), events_(std::move(events)) {
  const bool theirs = entry.source == ServerEntry::Source::workspace;
  // The workspace is not the user's: nothing of theirs is looked for in it.
  const std::string base = theirs ? around.workspace : around.home.empty() ? "/" : around.home;
  launch_.folder = entry.folder.empty()            ? base
                   : entry.folder.starts_with('/') ? entry.folder
                                                   : base + "/" + entry.folder;
  launch_.environment = server_environment(entry, around);
  launch_.arguments = entry.arguments;
  launch_.arguments.insert(launch_.arguments.begin(), entry.command);
  launch_.program = find_program(entry.command, launch_.folder, launch_.environment);
  thread_ = quiet_thread([this] { run(); });
}

StdioChannel::~StdioChannel() {
  StdioChannel::close();
  thread_.join();
}

void StdioChannel::close() {
  leaving_ = true;
  wake_.raise();
}

void StdioChannel::send(JsonText message, Parameters) {
  {
    const std::lock_guard hold(lock_);
    outbox_.push_back(std::move(message) + "\n");
  }
  wake_.raise();
}

std::string StdioChannel::diagnostics() const {
  const std::lock_guard hold(lock_);
  return errors_ + (garbage_ == 0 ? ""
                                  : "\n[" + std::to_string(garbage_) +
                                        " lines of its output were no messages]");
}

void StdioChannel::run() try {
  if (launch_.program.empty()) throw Error("there is no program " + command_);
  Guardian server(launch_);
  exchange(server);
  if (leaving_) return;
  server.release();
  const std::string how = server.how_it_ended();
  while (take_errors(server)) {
  }
  events_.closed(too_long_                           ? "it sent a message of more than 64 MiB"
                 : garbage_in_a_row_ >= most_garbage ? "what it prints are no messages"
                 : how.empty()                       ? "it closed its output" + last_words()
                                                     : how + last_words());
} catch (const std::exception& error) {  // the end of a server, not of the program
  if (!leaving_) events_.closed(error.what());
}

// Until it has closed its output, or we leave.
void StdioChannel::exchange(Guardian& server) {
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
    wait_for(server, to_write);
    take_errors(server);
    if (!take_output(server)) return;
    if (to_write) give_input(server);
  }
}

void StdioChannel::wait_for(Guardian& server, bool to_write) {
  std::array<pollfd, 4> fds{{{server.output.get(), POLLIN, 0},
                             {server.errors.get(), POLLIN, 0},
                             {wake_.fd(), POLLIN, 0},
                             {to_write ? server.input.get() : -1, POLLOUT, 0}}};
  wait(fds, no_deadline);
  if (fds[2].revents != 0) wake_.clear();
}

// False: there will be no more.
bool StdioChannel::take_output(Guardian& server) {
  std::array<char, 64 * 1024> buffer;
  const ssize_t got = read(server.output.get(), buffer.data(), buffer.size());
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

void StdioChannel::take_line(std::string line) {
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
bool StdioChannel::take_errors(Guardian& server) {
  if (!server.errors) return false;
  std::array<char, 4096> buffer;
  const ssize_t got = read(server.errors.get(), buffer.data(), buffer.size());
  if (got == 0 || (got < 0 && !would_block())) server.errors.reset();
  if (got <= 0) return false;
  const std::lock_guard hold(lock_);
  errors_.append(buffer.data(), static_cast<std::size_t>(got));
  if (errors_.size() > kept_errors) errors_.erase(0, errors_.size() - kept_errors);
  return true;
}

// What it does not read is lost with it: its output has ended then, or will.
void StdioChannel::give_input(Guardian& server) {
  const ssize_t written =
      write(server.input.get(), sending_.data() + sent_, sending_.size() - sent_);
  if (written > 0) sent_ += static_cast<std::size_t>(written);
  if ((written < 0 && !would_block()) || sent_ == sending_.size()) {
    sending_.clear();
    sent_ = 0;
  }
}

std::string StdioChannel::last_words() const {
  constexpr std::size_t shown = 600;
  const std::lock_guard hold(lock_);
  std::string_view words = trimmed(errors_);
  if (words.size() > shown) words = words.substr(words.find('\n', words.size() - shown) + 1);
  if (words.size() > shown) words = words.substr(words.size() - shown);
  return words.empty() ? "" : "; its last words: " + valid_utf8(words);
}

}  // namespace skein::mcp
