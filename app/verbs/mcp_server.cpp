// skein mcp-server: the sessions kept here, for other agents, over standard input and output.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/home.h"
#include "app/session_offer.h"
#include "app/signals.h"
#include "app/verbs/subcommands.h"
#include "core/mcp/server.h"
#include "core/text/json.h"
#include "core/text/request_text.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "core/tools/sandbox/environment.h"
#include "core/tools/sandbox/process.h"

namespace skein::verbs {

namespace {

using Clock = std::chrono::steady_clock;

bool is_stopped() { return app::stop_asked(); }

// The lines of standard input, as they come.
class Lines {
 public:
  // Until there is input, `other` is readable or `due` has passed. False: the input has ended, or
  // skein is asked to stop.
  bool wait(int other, Deadline due) {
    std::array<pollfd, 2> fds{{{STDIN_FILENO, POLLIN, 0}, {other, POLLIN, 0}}};
    if (lines_.empty() && skein::wait(fds, due, is_stopped) == Wake::ready && fds[0].revents != 0)
      take();
    return !is_stopped() && !(ended_ && lines_.empty());
  }
  std::optional<std::string> next() {
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

 private:
  void take() {
    constexpr std::size_t longest = 64u << 20;
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
      ended_ = true;
      return;
    }
    for (const char c : std::string_view(buffer.data(), static_cast<std::size_t>(got)))
      if (c == '\n')
        lines_.push_back(std::exchange(line_, {}));
      else
        line_ += c;
    if (line_.size() > longest) throw Error("a message is longer than 64 MiB");
  }

  std::deque<std::string> lines_{};
  std::string line_{};
  bool ended_ = false;
};

// False: the reader has gone, or it is slow and skein is asked to stop.
bool send_line(std::string line) {
  line += '\n';
  for (std::string_view left = line; !left.empty();) {
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    const Wake wake =
        is_stopped() ? wait({&out, 1}, Deadline::min()) : wait({&out, 1}, no_deadline, is_stopped);
    if (wake == Wake::deadline) return false;
    if (wake == Wake::signal) continue;
    // A pipe that is ready takes so much without blocking.
    const ssize_t written =
        ::write(STDOUT_FILENO, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The result that `skein -p --output-format json` prints last.
std::string result_in(const std::string& output) {
  const std::string_view printed = trimmed(output);
  const std::size_t line = printed.rfind('\n');
  const auto last = parse_json(printed.substr(line == std::string_view::npos ? 0 : line + 1));
  if (!last || string_at(*last, "type") != "result")
    throw Error("the turn ended without a result: " + std::string(utf8_prefix(printed, 2'000)));
  if (!bool_at(*last, "ok")) throw Error("the turn failed: " + string_at(*last, "error"));
  return dump({{"text", string_at(*last, "text")}, {"session", string_at(*last, "key")}});
}

// A process for each: what goes wrong in a turn does not end the server, and turns can run at the
// same time.
std::string ask(const app::Invocation& invocation, const JsonText& arguments,
                const mcp::CallStop& stop) {
  const Json given = parse_json(arguments).value_or(Json::object());
  const std::string prompt = string_at(given, "prompt"), folder = string_at(given, "cwd");
  if (is_blank(prompt)) throw Error("`prompt` is missing");
  std::error_code failed;
  if (!folder.starts_with('/') || !std::filesystem::is_directory(folder, failed))
    throw Error("`cwd` must be the absolute path of a folder");
  tools::sandbox::Program program{
      .arguments = {std::filesystem::read_symlink("/proc/self/exe").string(), "-p", "-q",
                    "--output-format", "json", "-C", folder},
      .environment = tools::sandbox::own_environment()};
  const auto add = [&](const char* flag, const std::string& value) {
    if (value.starts_with('-')) throw Error(value + " is no value for " + (flag + 2));
    if (!value.empty()) program.arguments.insert(program.arguments.end(), {flag, value});
  };
  add("--session", string_at(given, "session"));
  add("--model", string_at(given, "model"));
  add("--home", invocation.home);
  program.arguments.insert(program.arguments.end(), {"--", prompt});
  std::string output;
  tools::sandbox::Watch watch;
  watch.time = std::chrono::hours(1);
  watch.grace = std::chrono::seconds(10);  // it has to end its own commands first
  watch.wake_fd = stop.wake_fd;
  watch.stopped = stop.asked;
  watch.output = [&](std::string_view piece) {
    constexpr std::size_t most = 16u << 20;
    if (output.size() < most) output += piece;
  };
  const tools::sandbox::ProgramEnd end = tools::sandbox::run_program(program, watch);
  if (end.cause == tools::sandbox::ProgramEnd::Cause::stopped) throw Error("cancelled");
  return result_in(output);
}

}  // namespace

int serve_sessions(const app::Invocation& invocation) {
  app::catch_signals();
  store::SessionStore store = app::open_store(invocation);
  app::OfferSettings settings{.notes = invocation.has("--allow-notes")};
  if (invocation.has("--allow-ask"))
    settings.ask = [&](const JsonText& arguments, const mcp::CallStop& stop) {
      return ask(invocation, arguments, stop);
    };
  mcp::Server server(app::session_offer(store, settings));
  mcp::CallQueue& asks = server.slow_calls();
  Lines lines;
  bool heard = true;
  const auto print = [&](const std::vector<JsonText>& messages) {
    for (const JsonText& message : messages) heard = heard && send_line(message);
  };
  // Progress notifications keep clients from giving up on a long turn: many do after a minute.
  constexpr std::chrono::seconds interval(5);
  Deadline due = Clock::now();
  while (heard && lines.wait(asks.fd(), asks.empty() ? no_deadline : due)) {
    if (const std::optional<std::string> line = lines.next())
      if (const std::optional<JsonText> answer = server.answer(*line)) print({*answer});
    print(asks.responses());
    if (asks.empty() || Clock::now() < due) continue;
    print(asks.progress());
    due = Clock::now() + interval;
  }
  return 0;
}

}  // namespace skein::verbs
