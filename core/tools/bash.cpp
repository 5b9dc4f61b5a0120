// bash: a command in a shell, in the sandbox, with an end.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base.h"
#include "core/tools/capture.h"
#include "core/tools/environment.h"
#include "core/tools/process.h"
#include "core/tools/socket_filter.h"
#include "core/tools/text.h"
#include "core/tools/tools.h"

namespace skein {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::string_view schema = R"({
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "what bash -c runs, in the workspace"},
    "timeout_ms": {"type": "integer", "minimum": 1, "description": "how long it may take; two minutes if left out"}
  },
  "required": ["command"],
  "additionalProperties": false
})";

// A temporary folder the commands of one session share, made when the first one runs.
class PrivateTemporary {
 public:
  PrivateTemporary() = default;
  PrivateTemporary(const PrivateTemporary&) = delete;
  PrivateTemporary& operator=(const PrivateTemporary&) = delete;
  ~PrivateTemporary() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() {
    if (!path_.empty()) return path_;
    std::error_code ignored;
    std::string name = (fs::temp_directory_path(ignored) / "skein-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = fs::canonical(name, ignored);
    return path_;
  }

 private:
  std::string path_;
};

// bubblewrap tells the number of its first process inside; that one leads the command's group.
// SIGTERM goes there: sent to bubblewrap itself it would kill everything at once.
int inner_group(int info_fd) {
  char text[256];
  const ssize_t got = read(info_fd, text, sizeof text - 1);
  if (got <= 0) return 0;
  text[got] = '\0';
  const char* digits = std::strstr(text, "\"child-pid\":");
  return digits != nullptr ? std::atoi(digits + std::strlen("\"child-pid\":")) : 0;
}

void remove_placeholders(const std::vector<std::string>& names) {
  std::error_code ignored;
  for (const std::string& file : names)
    if (fs::is_regular_file(fs::symlink_status(file, ignored)) && fs::file_size(file, ignored) == 0)
      fs::remove(file, ignored);
}

std::string verdict(const ProgramEnd& end, milliseconds time) {
  using Cause = ProgramEnd::Cause;
  switch (end.cause) {
    case Cause::exited:
      return end.code == 0 ? "" : "[exit status " + std::to_string(end.code) + "]";
    case Cause::signalled:
      return "[ended by signal " + std::to_string(end.code) + ", " + strsignal(end.code) + "]";
    case Cause::timed_out:
      return "[stopped after " + with_separators(static_cast<std::size_t>(time.count())) +
             " ms: out of time]";
    case Cause::stopped: return "[stopped by the user]";
    case Cause::not_started: return std::string("[not started: ") + std::strerror(end.code) + "]";
  }
  return "";
}

// What the sandbox has to do with a failure, where the command's own words do not tell.
std::string cause_of(Sandbox sandbox, const Cell& room, const ProgramEnd& end,
                     const std::string& printed) {
  if (sandbox == Sandbox::bubblewrap && end.code == 1 && printed.starts_with("bwrap: "))
    return "the sandbox could not be built, so the command did not run; in the configuration "
           "`sandbox = \"landlock\"` chooses another";
  if (sandbox == Sandbox::landlock && printed.find("ermission denied") != std::string::npos)
    return landlock_gap(room);
  return "";
}

class Bash {
 public:
  Bash(SharedRoot root, const ToolSettings& settings)
      : root_(std::move(root)), settings_(settings) {}

  ToolOutcome run(const JsonText& input, const ToolPorts& ports) {
    Arguments arguments(input);
    const std::string command = arguments.text("command");
    const ToolLimits& limits = settings_.limits;
    const auto wanted = static_cast<std::int64_t>(
        arguments.number("timeout_ms", static_cast<std::size_t>(limits.bash_time.count())));
    if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());
    if (command.find('\0') != std::string::npos)
      return tool_failure("`command` holds a NUL character");

    const Sandbox sandbox = settings_.sandbox ? *settings_.sandbox : best_sandbox();
    Cell room = cell(sandbox);
    if (const std::string refusal = sandbox == Sandbox::none ? "" : settle_hidden(room);
        !refusal.empty())
      return tool_failure(refusal);
    Capture capture(limits.result_bytes, limits.kept_bytes);
    WholeCharacters characters;
    Watch watch;
    watch.stopped = ports.stopped;
    watch.wake_fd = ports.wake_fd;
    watch.time = milliseconds(std::clamp<std::int64_t>(wanted, 1, limits.bash_longest.count()));
    watch.grace = limits.grace;
    watch.output = [&](std::string_view piece) {
      capture.add(piece);
      characters.take(piece, ports.output);
    };
    const ProgramEnd end = start(command, sandbox, room, watch);
    if (const std::string rest = characters.rest(); !rest.empty()) ports.output(rest);
    ToolOutcome done = outcome(capture, end, watch.time, ports);
    if (const std::string why = cause_of(sandbox, room, end, capture.text()); !why.empty())
      done.content.push_back(Text{"[" + why + "]"});
    return done;
  }

 private:
  ProgramEnd start(const std::string& command, Sandbox sandbox, const Cell& room, Watch& watch) {
    Program program{.arguments = {}, .environment = {}, .folder = root_->fd()};
    program.limits = settings_.command_limits;
    program.sockets = room.network || sandbox == Sandbox::bubblewrap || !socket_filter_works();
    std::vector<std::string> placeholders;
    Fd rules, info_read, info_write;
    if (sandbox == Sandbox::bubblewrap) {
      int ends[2];
      if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        info_read = Fd(ends[0]);
        info_write = Fd(ends[1]);
        program.keep = {info_write.get()};
        watch.gentle_group = [&info_read] { return inner_group(info_read.get()); };
      }
      program.arguments = bubblewrap_arguments(room, placeholders);
      if (info_write)
        program.arguments.insert(program.arguments.begin() + 1,
                                 {"--info-fd", std::to_string(info_write.get())});
    } else if (sandbox == Sandbox::landlock) {
      rules = landlock_rules(room);
      program.landlock = rules.get();
    }
    program.arguments.insert(program.arguments.end(), {"/bin/bash", "-c", command});
    const bool inside = sandbox == Sandbox::bubblewrap;
    program.environment = command_environment(own_environment(), settings_.environment,
                                              inside ? "/tmp" : temporary_.path());
    const ProgramEnd end = run_program(program, watch);
    remove_placeholders(placeholders);
    return end;
  }

  Cell cell(Sandbox sandbox) {
    const char* home = std::getenv("HOME");
    Cell room{.root = root_->path(),
              .temporary = temporary_.path(),
              .writable = settings_.writable,
              .hidden = root_->forbidden(),
              .network = settings_.network};
    // Landlock would have to close the folder around each, where git makes its lock files.
    if (sandbox == Sandbox::bubblewrap)
      room.read_only = self_running_files(root_->path(), home != nullptr ? home : "");
    return room;
  }

  static ToolOutcome outcome(const Capture& capture, const ProgramEnd& end, milliseconds time,
                             const ToolPorts& ports) {
    std::string text = capture.text();
    std::string how = verdict(end, time);
    if (end.survivors > 0)
      how += "[" + std::to_string(end.survivors) +
             " processes it left in the background could not be ended]";
    if (!how.empty() && !text.empty() && !text.ends_with('\n')) text += '\n';
    text += how;
    if (text.empty()) text = "[no output]";
    ToolOutcome outcome = end == ProgramEnd{} ? tool_text(text) : tool_failure(text);
    if (ports.keep_blob && (capture.is_cut() || capture.is_binary()))
      capture.with_whole([&](std::string_view whole) { outcome.blob = ports.keep_blob(whole); });
    return outcome;
  }

  SharedRoot root_;
  ToolSettings settings_;
  PrivateTemporary temporary_;
};

}  // namespace

Tool bash_tool(SharedRoot root, const ToolSettings& settings) {
  // Shared by the copies of the tool: they are one shell with one temporary folder.
  const SharedRoot shared = root;
  const auto bash = std::make_shared<Bash>(std::move(root), settings);
  return {
      .name = "bash",
      .description =
          "Run a command with bash in the workspace; answers what it printed and how it ended. "
          "Nothing can be typed into it, and what it starts in the background ends with it.",
      .schema = std::string(schema),
      .effect = Effect::changes,
      .title =
          [](const JsonText& input) {
            return one_line("bash", Arguments(input).text("command", ""));
          },
      .preview = [](const JsonText& input) { return Arguments(input).text("command", ""); },
      .run = [bash](const JsonText& input,
                    const ToolPorts& ports) { return bash->run(input, ports); },
      .locate = [shared](std::string_view path) { return shared->located(path); },
      .amendable = "command",
  };
}

}  // namespace skein
