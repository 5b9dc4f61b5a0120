// bash: a command in a shell, in the sandbox, with an end.
#include <fcntl.h>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "core/jobs/jobs.h"
#include "core/jobs/record.h"
#include "core/model/self_running_names.h"
#include "core/text/amounts.h"
#include "core/text/base.h"
#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/tools/arguments.h"
#include "core/tools/sandbox/capture.h"
#include "core/tools/sandbox/environment.h"
#include "core/tools/sandbox/file_claims.h"
#include "core/tools/sandbox/guard.h"
#include "core/tools/sandbox/private_temporary.h"
#include "core/tools/sandbox/process.h"
#include "core/tools/sandbox/running_program.h"
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
constexpr std::string_view bash_with_jobs_schema = R"({
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "what bash -c runs, in the workspace"},
    "timeout_ms": {"type": "integer", "minimum": 1, "description": "how long it may take; two minutes if left out"},
    "background": {"type": "boolean", "description": "true: it goes on as a job, and the answer comes after a second; for servers and what takes long"}
  },
  "required": ["command"],
  "additionalProperties": false
})";

// A pause has no use in the background, and a repository at work is better not left alone.
bool may_go_on(const std::string& command, const ToolSettings& settings) {
  return settings.jobs && settings.background_on_timeout &&
         !trimmed(command).starts_with("sleep") && command.find("git ") == std::string::npos;
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
    Call call{.command = arguments.text("command"), .ports = ports};
    const ToolLimits& limits = settings_.limits;
    const auto wanted = static_cast<std::int64_t>(
        arguments.number("timeout_ms", static_cast<std::size_t>(limits.bash_time.count())));
    call.background = arguments.flag("background");
    if (!arguments.complaint().empty()) return tool_failure(arguments.complaint());
    if (call.command.find('\0') != std::string::npos)
      return tool_failure("`command` holds a NUL character");
    if (const std::string refusal = call.background ? no_job(ports) : ""; !refusal.empty())
      return tool_failure(refusal);

    call.sandbox = settings_.sandbox ? *settings_.sandbox : sandbox::best_sandbox();
    call.room = cell();
    if (const std::string refusal =
            call.sandbox == Sandbox::none ? "" : sandbox::settle_hidden(call.room);
        !refusal.empty())
      return tool_failure(refusal);
    call.time =
        call.background
            ? limits.job_look
            : milliseconds(std::clamp<std::int64_t>(wanted, 1, limits.bash_longest.count()));
    Capture capture(limits.result_bytes, limits.kept_bytes);
    const std::optional<ProgramEnd> end = watch(call, capture);
    if (!refusal_.empty()) return tool_failure(std::exchange(refusal_, ""));
    if (!end) return move(call, capture);
    ToolOutcome done = outcome(capture, *end, call.time, ports);
    for (const std::string& why : {cause_of(call.sandbox, call.room, *end, capture.text()),
                                   done.is_error ? about_masks() : ""})
      if (!why.empty()) done.content.push_back(model::Text{"[" + why + "]"});
    return done;
  }

 private:
  struct Call {
    std::string command{};
    const ToolPorts& ports;
    bool background = false;
    Sandbox sandbox = Sandbox::none;
    SandboxSpec room{};
    milliseconds time{};
    std::unique_ptr<sandbox::RunningProgram> program{};
    std::int64_t started = now_ms();
    bool by_user = false;  // who wants it in the background
  };

  // Why this call cannot become a job; empty: it can.
  std::string no_job(const ToolPorts& ports) const {
    if (!settings_.jobs || !ports.session)
      return "nothing runs in the background here; run it without `background`";
    if (settings_.jobs->full(*ports.session))
      return std::to_string(jobs::Jobs::most) +
             " jobs run already; stop one with job_stop, or wait for one with job_output";
    return "";
  }

  // For the user who wants it in the background, where it cannot go.
  std::string stays(const ToolPorts& ports) const {
    const bool full = settings_.jobs && ports.session && settings_.jobs->full(*ports.session);
    return std::string("[it is not moved to the background: ") +
           (full ? std::to_string(jobs::Jobs::most) + " jobs run already; /jobs stop N ends one]\n"
                 : "nothing runs there here (`background = false`)]\n");
  }

  // nullopt: it runs on, and is to become a job.
  std::optional<ProgramEnd> watch(Call& call, Capture& capture) {
    sandbox::WholeCharacters characters;
    Watch watch;
    watch.stopped = call.ports.stopped;
    watch.wake_fd = call.ports.wake_fd;
    watch.time = call.time;
    watch.grace = settings_.limits.grace;
    watch.output = [&](std::string_view piece) {
      capture.add(piece);
      characters.take(piece, call.ports.output);
    };
    const auto asked = [&] { return call.ports.to_background && call.ports.to_background(); };
    asked();  // before this command began: it was not meant
    watch.leaves = [&](bool due) {
      const bool wanted = asked(), goes_on = call.background || may_go_on(call.command, settings_);
      if (!(wanted || (due && goes_on))) return false;
      if (const std::string why = no_job(call.ports); !why.empty()) {
        if (wanted) call.ports.output(stays(call.ports));
        return false;
      }
      call.by_user = wanted;
      return true;
    };
    call.program = start(call);
    if (!call.program && guard_) guard_->cancel();
    if (!call.program) return ProgramEnd{};
    const std::optional<ProgramEnd> end = call.program->watch(watch);
    if (const std::string rest = characters.rest(); !rest.empty()) call.ports.output(rest);
    if (end && call.sandbox != Sandbox::none) {
      taken_back_ = guard().finish();
      call.program->settled();
    }
    return end;
  }

  static Guard::Wall wall_of(const Call& call) {
    return call.sandbox == Sandbox::bubblewrap ? Guard::Wall::held : Guard::Wall::none;
  }

  // Null: it must not run.
  std::unique_ptr<sandbox::RunningProgram> start(Call& call) {
    Program program{.arguments = {}, .environment = {}, .folder = root_->fd()};
    SandboxSpec room = call.room;
    const bool inside = call.sandbox == Sandbox::bubblewrap;
    program.limits = settings_.command_limits;
    program.sockets = sandbox::sockets_for(call.sandbox, room.network);
    // Landlock would have to close the folder around each, where git makes its lock files: there
    // only the guard protects them.
    if (guarded_areas_ != areas()) guard_.reset();  // others are open by now
    const std::vector<std::string> trusted = settings_.guarded();
    if (call.sandbox != Sandbox::none) {
      for (const std::string& path : trusted)
        if (is_only_trusted(path)) guard().add(path);
      auto walls = guard().record(wall_of(call), call.ports.stopped);
      if (!walls) refusal_ = "stopped by the user";
      if (!walls) return nullptr;
      if (inside) room.read_only = std::move(*walls);
      program.record = guard().record_fd();
    }
    if (inside && !mask(room)) return nullptr;
    const sandbox::FileClaims claims(call.sandbox == Sandbox::none ? "" : settings_.claims);
    const sandbox::FileClaims::Claim claim =
        claims.by_command({areas(), room.read_only, trusted}, call.ports.stopped);
    if (claim.error == EAGAIN) {
      refusal_ =
          "the command was not started: a hook runs files of the workspace that it could "
          "replace; try again when the hook has ended";
      return nullptr;
    }
    Fd rules;
    Pipe status;
    if (inside) {
      status = make_pipe(O_NONBLOCK);
      program.keep = {status.write.get()};
      program.status = status.read.get();
      program.arguments = sandbox::bubblewrap_arguments(room);
      program.arguments.insert(program.arguments.begin() + 1,
                               {"--json-status-fd", std::to_string(status.write.get())});
    } else if (call.sandbox == Sandbox::landlock) {
      rules = sandbox::landlock_rules(room);
      program.landlock = rules.get();
    }
    program.arguments.insert(program.arguments.end(), {"/bin/bash", "-c", call.command});
    program.environment = sandbox::command_environment(sandbox::own_environment(),
                                                       inside ? "/tmp" : temporary_->path());
    program.holds = temporary_->lock();
    program.claim = claim.held.get();
    return std::make_unique<sandbox::RunningProgram>(program);
  }

  // The program becomes a job, and takes with it the guard that knows how it found the workspace.
  ToolOutcome move(Call& call, const Capture& capture) {
    jobs::Jobs::Start start{
        .session = *call.ports.session, .command = call.command, .started = call.started};
    start.parts.program = std::move(call.program);
    start.parts.left = [temporary = temporary_] { temporary->leave(); };
    if (call.sandbox != Sandbox::none) start.parts.guard = std::move(guard_);
    std::string printed;
    capture.with_whole([&](std::string_view whole) { printed = whole; });
    const jobs::Record job = settings_.jobs->add(std::move(start), printed);
    std::string text =
        "[job " + std::to_string(job.id) + ": " +
        (call.background ? "started"
         : call.by_user  ? "the user moved it to the background"
                         : "moved to the background after " +
                              with_separators(static_cast<std::size_t>(call.time.count())) +
                              " ms: it needs more time") +
        "; job_output shows what it prints and waits for its end, job_stop ends it]";
    const std::string so_far = capture.text();
    text += so_far.empty() ? "\n[no output so far]" : "\n" + so_far;
    ToolOutcome outcome = tool_text(std::move(text));
    outcome.meta = jobs::meta_of(job);
    if (!call.background && !call.by_user)
      outcome.notice = "the command needs more time and goes on as job " + std::to_string(job.id) +
                       "; /jobs shows it";
    return outcome;
  }

  // Made by the first command: it looks through the whole workspace, and what is open besides.
  Guard& guard() {
    if (!guard_) {
      guarded_areas_ = areas();
      guard_ = std::make_unique<Guard>(Guard::Settings{.areas = guarded_areas_,
                                                       .home = user_home(),
                                                       .quarantine = settings_.quarantine,
                                                       .records = settings_.command_records});
    }
    return *guard_;
  }

  // The guard finds all other files by their names.
  bool is_only_trusted(const std::string& path) const {
    const std::string& top = root_->path();
    return !workspace::is_below(path, top) || !model::runs_by_itself(path.substr(top.size()));
  }

  std::vector<std::string> areas() const {
    std::vector<std::string> out{root_->path()};
    std::ranges::copy(further(false), std::back_inserter(out));
    return out;
  }

  // Closes what the model is kept from; false: there is too much of it. Landlock cannot take away
  // what lies in a folder it opens: there each command was asked about.
  bool mask(SandboxSpec& room) {
    masked_.clear();
    bool complete = mask(*root_, room);
    if (settings_.further)
      for (const workspace::FurtherRoots::Found& each : settings_.further->all())
        complete = mask(*each.root, room) && complete;
    if (complete && masked_.size() <= most_masks) return true;
    refusal_ = "commands do not run: " + with_separators(masked_.size()) +
               " files are kept from the model, too many to close to commands; name their folder "
               "instead, or leave files of other programs out with `ignore-files`";
    return false;
  }

  // What the model is kept from in one of the roots; false: it was too much to look through.
  bool mask(const Root& root, SandboxSpec& room) {
    const workspace::Withheld* withheld = root.withheld();
    if (withheld == nullptr || (&root == root_.get() && !withheld->has_patterns() &&
                                !guard().has_met(withheld->settings().names)))
      return true;
    const workspace::Withheld::Found found = withheld->find();
    for (const std::string& place : found.places)
      if (std::ranges::none_of(room.hidden, [&](const std::string& outer) {
            return workspace::is_below(place, outer);
          })) {
        room.hidden.push_back(place);
        masked_.push_back(root_->shown(place));
      }
    return found.complete;
  }

  // The folders that are open besides the workspace.
  std::vector<std::string> further(bool read_only) const {
    std::vector<std::string> out;
    if (settings_.further)
      for (const workspace::FurtherFolder& each : settings_.further->folders())
        if (each.read_only == read_only) out.push_back(each.path);
    return out;
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
            .temporary = temporary_->path(),
            .hidden = root_->forbidden(),
            .shown = shown(),
            .writable = further(false),
            .readable = further(true),
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
  // Shared with the jobs that write there.
  std::shared_ptr<sandbox::PrivateTemporary> temporary_ =
      std::make_shared<sandbox::PrivateTemporary>();
  std::unique_ptr<Guard> guard_;
  std::vector<std::string> guarded_areas_;
  std::string taken_back_;
  std::vector<std::string> masked_;  // for the command that runs, from the workspace
  std::string refusal_;              // why it did not
};

}  // namespace

Tool bash_tool(const Roots& roots, const ToolSettings& settings) {
  // Shared by the copies of the tool: they are one shell with one temporary folder.
  const auto bash = std::make_shared<Bash>(roots.workspace(), settings);
  const auto command_in = [](const JsonText& input) {
    return Arguments(input).text("command", "");
  };
  return {
      .name = "bash",
      .description =
          "Run a command with bash in the workspace; answers what it printed and how it ended. "
          "Nothing can be typed into it, and what it starts in the background ends with it.",
      .schema = std::string(settings.jobs ? bash_with_jobs_schema : bash_schema),
      .effect = Effect::runs,
      .argument = {model::Argument::Kind::command, "command"},
      .title = [=](const JsonText& input) { return one_line("bash", command_in(input)); },
      .preview = command_in,
      .run = [bash](const auto& input, const auto& ports) { return bash->run(input, ports); },
      .locate = [roots](std::string_view path) { return roots.located(path, Roots::Use::reads); },
      .survey = survey_of(roots),
      .amendable = "command",
  };
}

}  // namespace skein::tools
