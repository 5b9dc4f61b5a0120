// skein mcp-server: the sessions kept here, for other agents, over standard input and output.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/home.h"
#include "app/session_offer.h"
#include "app/signals.h"
#include "app/verbs/subcommands.h"
#include "core/mcp/server.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/request_text.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "core/tools/sandbox/environment.h"
#include "core/tools/sandbox/process.h"

namespace skein::verbs {

namespace {

// The lines of standard input, as they come.
class Lines {
 public:
  // nullopt: there will be no more, or we are to leave.
  std::optional<std::string> next() {
    for (;;) {
      if (!lines_.empty()) {
        std::string line = std::move(lines_.front());
        lines_.pop_front();
        return line;
      }
      if (ended_ || app::stop_asked()) return std::nullopt;
      if (wait(STDIN_FILENO, no_deadline, [] { return app::stop_asked().load(); }) == Wake::ready)
        take();
    }
  }

  // Whether what has come by now ends the work on a request, be it that nobody is there any more.
  bool cancels(const JsonText& id) {
    while (!ended_ && is_readable(STDIN_FILENO)) take();
    for (const std::string& line : lines_)
      if (mcp::cancelled_by(line) == id) return true;
    return ended_;
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

// A skein of its own for each: what goes wrong in a turn does not end the server.
std::string ask(const app::Invocation& invocation, Lines& lines, const JsonText& arguments,
                const JsonText& id) {
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
  watch.grace = std::chrono::seconds(2);
  watch.wake_fd = STDIN_FILENO;
  watch.stopped = [&] { return app::stop_asked() || lines.cancels(id); };
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
  Lines lines;
  app::OfferSettings settings{.notes = invocation.has("--allow-notes")};
  if (invocation.has("--allow-ask"))
    settings.ask = [&](const JsonText& arguments, const JsonText& id) {
      return ask(invocation, lines, arguments, id);
    };
  mcp::Server server(app::session_offer(store, settings));
  while (const std::optional<std::string> line = lines.next())
    if (const std::optional<JsonText> answer = server.answer(*line))
      if (!write_all(STDOUT_FILENO, *answer + "\n")) break;  // nobody listens any more
  return 0;
}

}  // namespace skein::verbs
