// bash: a command in a shell, in the sandbox, with an end.
#include <fcntl.h>
#include <cstdlib>

#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/text/amounts.h"
#include "core/text/base.h"
#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/text/wait.h"
#include "core/tools/arguments.h"
#include "core/tools/sandbox/capture.h"
#include "core/tools/sandbox/environment.h"
#include "core/tools/sandbox/guard.h"
#include "core/tools/sandbox/private_temporary.h"
#include "core/tools/sandbox/process.h"
#include "core/tools/sandbox/socket_filter.h"
#include "core/tools/tools.h"
#include "core/tools/workspace/real_place.h"

namespace skein::tools {

using sandbox::Capture, sandbox::Guard, sandbox::Program, sandbox::ProgramEnd, sandbox::Sandbox;
using sandbox::SandboxSpec, sandbox::Watch;

namespace {

using std::chrono::milliseconds;

// Every mount makes the next one slower, and bubblewrap takes 9,000 arguments.
constexpr std::size_t most_masks = 1000;

constexpr std::string_view bash_schema = R"({
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "what bash -c runs, in the workspace"},
    "timeout_ms": {"type": "integer", "minimum": 1, "description": "how long it may take; two minutes if left out"}
  },
  "required": ["command"],
  "additionalProperties": false
})";

// What bubblewrap tells of itself: the number of its first process inside, which leads the
// command's group. SIGTERM goes there: sent to bubblewrap itself it would kill everything at once.
class InnerProcess {
 public:
  int fd() const { return pipe_.write.get(); }
  int reading_end() const { return pipe_.read.get(); }

  int pid() {
    char text[256];
    const ssize_t got = pid_ == 0 ? read(pipe_.read.get(), text, sizeof text - 1) : 0;
    if (got <= 0) return pid_;
    text[got] = '\0';
    const char* digits = std::strstr(text, "\"child-pid\":");
    if (digits != nullptr) pid_ = std::atoi(digits + std::strlen("\"child-pid\":"));
    return pid_;
  }

  // bubblewrap's own process may end a moment before those inside; this one is the last of them.
  void wait_for_end() {
    const Fd process = pid() > 1 ? process_descriptor(pid()) : Fd();
    const Deadline due = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (process && wait(process.get(), due) == Wake::signal) {
    }
  }

 private:
  Pipe pipe_ = make_pipe(O_NONBLOCK);
  int pid_ = 0;
};

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
std::string cause_of(Sandbox sandbox, const SandboxSpec& room, const ProgramEnd& end,
                     const std::string& printed) {
  if (sandbox == Sandbox::bubblewrap && end.code == 1 && printed.starts_with("bwrap: "))
    return "the sandbox could not be built, so the command did not run; in the configuration "
           "`sandbox = \"landlock\"` chooses another";
  if (sandbox == Sandbox::landlock && printed.find("ermission denied") != std::string::npos)
    return sandbox::landlock_gap(room);
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

    const Sandbox sandbox = settings_.sandbox ? *settings_.sandbox : sandbox::best_sandbox();
    SandboxSpec room = cell();
    if (const std::string refusal = sandbox == Sandbox::none ? "" : sandbox::settle_hidden(room);
        !refusal.empty())
      return tool_failure(refusal);
    Capture capture(limits.result_bytes, limits.kept_bytes);
    sandbox::WholeCharacters characters;
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
    if (!refusal_.empty()) return tool_failure(std::exchange(refusal_, ""));
    if (const std::string rest = characters.rest(); !rest.empty()) ports.output(rest);
    ToolOutcome done = outcome(capture, end, watch.time, ports);
    for (const std::string& why :
         {cause_of(sandbox, room, end, capture.text()), done.is_error ? about_masks() : ""})
      if (!why.empty()) done.content.push_back(model::Text{"[" + why + "]"});
    return done;
  }

 private:
  ProgramEnd start(const std::string& command, Sandbox sandbox, SandboxSpec room, Watch& watch) {
    Program program{.arguments = {}, .environment = {}, .folder = root_->fd()};
    program.limits = settings_.command_limits;
    program.sockets =
        room.network || sandbox == Sandbox::bubblewrap || !sandbox::socket_filter_works();
    const bool guarded = sandbox != Sandbox::none;
    // Landlock would have to close the folder around each, where git makes its lock files: there
    // only the guard protects them.
    if (guarded) room.read_only = guard().record();
    if (sandbox == Sandbox::landlock) room.read_only.clear();
    if (sandbox == Sandbox::bubblewrap && !mask(room)) return {};
    Fd rules;
    InnerProcess inner, last_word;  // told twice: to us, and to the warden if we are killed
    if (sandbox == Sandbox::bubblewrap) {
      program.keep = {inner.fd(), last_word.fd()};
      program.status = last_word.reading_end();
      watch.gentle_group = [&inner] { return inner.pid(); };
      program.arguments = sandbox::bubblewrap_arguments(room);
      program.arguments.insert(program.arguments.begin() + 1,
                               {"--info-fd", std::to_string(inner.fd()), "--json-status-fd",
                                std::to_string(last_word.fd())});
    } else if (sandbox == Sandbox::landlock) {
      rules = sandbox::landlock_rules(room);
      program.landlock = rules.get();
    }
    program.arguments.insert(program.arguments.end(), {"/bin/bash", "-c", command});
    const bool inside = sandbox == Sandbox::bubblewrap;
    program.environment = sandbox::command_environment(sandbox::own_environment(),
                                                       inside ? "/tmp" : temporary_.path());
    const ProgramEnd end = sandbox::run_program(program, watch);
    if (inside) inner.wait_for_end();
    if (guarded) taken_back_ = guard().take_back(inside ? Guard::Wall::held : Guard::Wall::none);
    return end;
  }

  // Made by the first command: it looks through the whole workspace.
  Guard& guard() {
    if (!guard_) {
      guard_ =
          std::make_unique<Guard>(std::vector{root_->path()}, env("HOME"), settings_.quarantine);
      for (const std::string& path : settings_.guarded) guard_->add(path);
    }
    return *guard_;
  }

  // Closes what the model is kept from; false: there is too much of it. Landlock cannot take away
  // what lies in a folder it opens: there each command was asked about.
  bool mask(SandboxSpec& room) {
    masked_.clear();
    const workspace::Withheld* withheld = root_->withheld();
    if (withheld == nullptr || (!withheld->has_patterns() && !guard().has_met(withheld->names())))
      return true;
    const workspace::Withheld::Found found = withheld->find();
    for (const std::string& place : found.places)
      if (std::ranges::none_of(room.hidden, [&](const std::string& outer) {
            return workspace::is_below(place, outer);
          })) {
        room.hidden.push_back(place);
        masked_.push_back(place.substr(root_->path().size() + 1));
      }
    if (found.complete && masked_.size() <= most_masks) return true;
    refusal_ = "commands do not run: " + with_separators(masked_.size()) +
               " files are kept from the model, too many to close to commands; name their folder "
               "instead, or leave files of other programs out with `ignore-files`";
    return false;
  }

  // For a model that wonders why a file is empty.
  std::string about_masks() const {
    constexpr std::size_t most_named = 10;
    if (masked_.empty()) return "";
    std::vector<std::string> names(
        masked_.begin(),
        masked_.begin() + static_cast<std::ptrdiff_t>(std::min(most_named, masked_.size())));
    return "kept from you, and so closed to commands: " + listed(names) +
           (masked_.size() > most_named ? ", …" : "");
  }

  SandboxSpec cell() {
    return {.root = root_->path(),
            .temporary = temporary_.path(),
            .hidden = root_->forbidden(),
            .shown = shown(),
            .network = settings_.network};
  }

  std::vector<std::string> shown() const {
    if (!settings_.readable) return {};
    return {settings_.readable->tops().begin(), settings_.readable->tops().end()};
  }

  ToolOutcome outcome(const Capture& capture, const ProgramEnd& end, milliseconds time,
                      const ToolPorts& ports) {
    std::string text = capture.text();
    std::string how = verdict(end, time);
    if (end.survivors > 0)
      how += "[" +
             counted(end.survivors, "process it left in the background",
                     "processes it left in the background") +
             " could not be ended]";
    if (!taken_back_.empty()) how += (how.empty() ? "[" : "\n[") + taken_back_ + "]";
    if (!how.empty() && !text.empty() && !text.ends_with('\n')) text += '\n';
    text += how;
    if (text.empty()) text = "[no output]";
    ToolOutcome outcome = end == ProgramEnd{} ? tool_text(text) : tool_failure(text);
    outcome.notice = std::exchange(taken_back_, "");
    if (end.cause == ProgramEnd::Cause::exited) outcome.exit_status = end.code;
    if (ports.keep_blob && (capture.is_cut() || capture.is_binary()))
      capture.with_whole([&](std::string_view whole) { outcome.blob = ports.keep_blob(whole); });
    return outcome;
  }

  SharedRoot root_;
  ToolSettings settings_;
  sandbox::PrivateTemporary temporary_;
  std::unique_ptr<Guard> guard_;
  std::string taken_back_;
  std::vector<std::string> masked_;  // for the command that runs, from the workspace
  std::string refusal_;              // why it did not
};

}  // namespace

Tool bash_tool(SharedRoot root, const ToolSettings& settings) {
  // Shared by the copies of the tool: they are one shell with one temporary folder.
  const auto bash = std::make_shared<Bash>(root, settings);
  const auto command_in = [](const JsonText& input) {
    return Arguments(input).text("command", "");
  };
  return {
      .name = "bash",
      .description =
          "Run a command with bash in the workspace; answers what it printed and how it ended. "
          "Nothing can be typed into it, and what it starts in the background ends with it.",
      .schema = std::string(bash_schema),
      .effect = Effect::runs,
      .argument = {model::Argument::Kind::command, "command"},
      .title = [=](const JsonText& input) { return one_line("bash", command_in(input)); },
      .preview = command_in,
      .run = [bash](const auto& input, const auto& ports) { return bash->run(input, ports); },
      .locate = [root](std::string_view path) { return root->located(path); },
      .survey = survey_of(root),
      .amendable = "command",
  };
}

}  // namespace skein::tools
