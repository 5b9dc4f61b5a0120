// bash: runs a command in a shell, in the sandbox, with a timeout.
#include <fcntl.h>
#include <unistd.h>

#include "core/jobs/jobs.h"
#include "core/jobs/record.h"
#include "core/process/capture.h"
#include "core/process/private_temporary.h"
#include "core/process/running_program.h"
#include "core/sandbox/file_claims.h"
#include "core/sandbox/guard.h"
#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/tools/arguments.h"
#include "core/tools/tools.h"
#include "core/workspace/autorun_files.h"
#include "core/workspace/real_place.h"

namespace skein::tools {

using process::Capture, sandbox::Guard, process::Program, process::ProgramEnd, sandbox::Sandbox;
using sandbox::SandboxSpec, process::ProgramWatch;

namespace {

using std::chrono::milliseconds;

// Every mount makes the next one slower, and bubblewrap takes 9,000 arguments.
constexpr std::size_t most_masks = 1000;

// Sleeping in the background is useless, and git commands should not be left unattended.
bool may_go_on(const std::string& command, const ToolSettings& settings) {
  return settings.jobs && !trimmed(command).starts_with("sleep") &&
         command.find("git ") == std::string::npos;
}

std::string verdict(const ProgramEnd& end, milliseconds time) {
  using Cause = ProgramEnd::Cause;
  switch (end.cause) {
    case Cause::exited:
      return end.code == 0 ? "" : "[exit status " + std::to_string(end.code) + "]";
    case Cause::signalled:
      return "[ended by signal " + std::to_string(end.code) + ", " + strsignal(end.code) + "]";
    case Cause::timed_out:
      return "[timed out after " + with_separators(static_cast<std::size_t>(time.count())) + " ms]";
    case Cause::stopped: return "[stopped by the user]";
    case Cause::not_started: return std::string("[not started: ") + std::strerror(end.code) + "]";
  }
  return "";
}

// How the sandbox caused a failure, if the output does not say so.
std::string cause_of(Sandbox sandbox, const SandboxSpec& room, const ProgramEnd& end,
                     const std::string& printed) {
  if (sandbox == Sandbox::bubblewrap && end.code == 1 && printed.starts_with("bwrap: "))
    return "the sandbox could not be started, so the command did not run; set `sandbox = "
           "\"landlock\"` in the configuration to use another one";
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
      return tool_failure("`command` contains a NUL character");
    if (const std::string refusal = call.background ? no_job(ports) : ""; !refusal.empty())
      return tool_failure(refusal);

    call.sandbox = settings_.sandbox ? *settings_.sandbox : sandbox::best_sandbox();
    call.room = cell();
    if (call.sandbox != Sandbox::none)
      if (const std::string refusal = sandbox::settle_hidden(call.room); !refusal.empty())
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
    std::unique_ptr<process::RunningProgram> program{};
    std::int64_t started = now_ms();
    bool by_user = false;  // who wants it in the background
  };

  // Why this call cannot become a job; empty: it can.
  std::string no_job(const ToolPorts& ports) const {
    if (!settings_.jobs || !ports.session)
      return "background jobs are not available here; run it without `background`";
    if (settings_.jobs->full(*ports.session))
      return std::to_string(jobs::Jobs::most) +
             " jobs are already running; stop one with job_stop, or wait for one with job_output";
    return "";
  }

  // The message if the user moves a command to the background and that is not possible.
  std::string stays(const ToolPorts& ports) const {
    const bool full = settings_.jobs && ports.session && settings_.jobs->full(*ports.session);
    return std::string("[not moved to the background: ") +
           (full ? std::to_string(jobs::Jobs::most) +
                       " jobs are already running; stop one with /jobs stop N]\n"
                 : "background jobs are disabled (`background = false`)]\n");
  }

  // nullopt: it keeps running and becomes a job.
  std::optional<ProgramEnd> watch(Call& call, Capture& capture) {
    process::WholeCharacters characters;
    ProgramWatch watch;
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
    if (!(call.program = start(call))) {
      if (guard_) guard_->cancel();
      return ProgramEnd{};
    }
    const std::optional<ProgramEnd> end = call.program->watch(watch);
    if (const std::string rest = characters.rest(); !rest.empty()) call.ports.output(rest);
    if (end && call.sandbox != Sandbox::none) {
      taken_back_ = guard().finish();
      call.program->settled();
    }
    return end;
  }

  std::nullptr_t refuse(std::string why) {
    refusal_ = std::move(why);
    return nullptr;
  }

  // Null: it must not run.
  std::unique_ptr<process::RunningProgram> start(Call& call) {
    Program program{.folder = root_->fd(), .limits = settings_.command_limits};
    process::Supervision supervision;
    SandboxSpec room = call.room;
    const bool inside = call.sandbox == Sandbox::bubblewrap;
    // Landlock cannot close them without closing their folders to git's lock files.
    if (guarded_areas_ != areas()) guard_.reset();  // others are open by now
    const std::vector<std::string> trusted = settings_.guarded();
    if (call.sandbox != Sandbox::none) {
      for (const std::string& path : trusted)
        if (is_only_trusted(path)) guard().add(path);
      auto walls =
          guard().record(inside ? Guard::Wall::held : Guard::Wall::none, call.ports.stopped);
      if (!walls) return refuse("stopped by the user");
      if (inside) room.read_only = std::move(*walls);
      supervision.record = guard().record_fd();
    }
    if (inside && !mask(room))
      return refuse("commands cannot run: " + with_separators(masked_.size()) +
                    " files are hidden from the model, too many to hide from commands; list their "
                    "folder instead, or remove files of other programs from `ignore-files`");
    const sandbox::FileClaims claims(call.sandbox == Sandbox::none ? "" : settings_.claims);
    const sandbox::FileClaims::Claim claim =
        claims.by_command({areas(), room.read_only, trusted}, call.ports.stopped);
    if (claim.error == EAGAIN)
      return refuse(
          "the command was not started: a hook runs files of the workspace that it could "
          "replace; try again when the hook has ended");
    const Fd rules = sandbox::confine(program, call.sandbox, room);
    Pipe status;
    if (inside) {
      status = make_pipe(O_NONBLOCK);
      program.keep = {status.write.get()};
      supervision.status = status.read.get();
      program.arguments.insert(program.arguments.begin() + 1,
                               {"--json-status-fd", std::to_string(status.write.get())});
    }
    program.arguments.insert(program.arguments.end(), {"/bin/bash", "-c", call.command});
    supervision.holds = temporary_->lock();
    supervision.claim = claim.held.get();
    return std::make_unique<process::RunningProgram>(program, supervision);
  }

  // The program becomes a job and keeps the guard that recorded the workspace before it.
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
      outcome.notice = "the command needs more time and continues as job " +
                       std::to_string(job.id) + "; /jobs shows it";
    return outcome;
  }

  // Created by the first command: it scans the workspace and the additional directories.
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
    return !workspace::is_below(path, top) || !workspace::is_autorun_path(path.substr(top.size()));
  }

  std::vector<std::string> areas() const {
    std::vector<std::string> out = further(false);
    out.insert(out.begin(), root_->path());
    return out;
  }

  // Hides ignored paths; false: there are too many. Landlock cannot hide files of a folder that it
  // opens: there the user was asked about each command.
  bool mask(SandboxSpec& room) {
    masked_.clear();
    bool complete = mask(*root_, room);
    if (settings_.further)
      for (const workspace::AdditionalDirectories::Found& each : settings_.further->all())
        complete = mask(*each.root, room) && complete;
    return complete && masked_.size() <= most_masks;
  }

  // Hides the ignored paths of one root; false: there were too many files to search.
  bool mask(const Root& root, SandboxSpec& room) {
    const workspace::IgnoredPaths* withheld = root.withheld();
    if (withheld == nullptr || (&root == root_.get() && !withheld->has_patterns() &&
                                !guard().has_met(withheld->settings().names)))
      return true;
    const workspace::IgnoredPaths::Found found = withheld->find();
    for (const std::string& place : found.places)
      if (std::ranges::none_of(room.hidden, [&](const std::string& outer) {
            return workspace::is_below(place, outer);
          })) {
        room.hidden.push_back(place);
        masked_.push_back(root_->shown(place));
      }
    return found.complete;
  }

  // The additional directories.
  std::vector<std::string> further(bool read_only) const {
    std::vector<std::string> out;
    if (settings_.further)
      for (const workspace::AdditionalDirectory& each : settings_.further->folders())
        if (each.read_only == read_only) out.push_back(each.path);
    return out;
  }

  // For a model that wonders why a file is empty.
  std::string about_masks() const {
    constexpr std::size_t most_named = 10;
    if (masked_.empty()) return "";
    return "these paths are hidden from you, so commands cannot read them: " +
           listed(std::span(masked_).first(std::min(most_named, masked_.size()))) +
           (masked_.size() > most_named ? ", …" : "");
  }

  SandboxSpec cell() {
    SandboxSpec out{.root = root_->path(),
                    .temporary = temporary_->path(),
                    .hidden = root_->forbidden(),
                    .writable = further(false),
                    .readable = further(true),
                    .network = settings_.network};
    if (settings_.readable)
      out.shown = {settings_.readable->tops().begin(), settings_.readable->tops().end()};
    return out;
  }

  ToolOutcome outcome(const Capture& capture, const ProgramEnd& end, milliseconds time,
                      const ToolPorts& ports) {
    std::string text = capture.text();
    std::string how = verdict(end, time);
    if (end.survivors > 0)
      how += "[" +
             counted(end.survivors, "process it left in the background",
                     "processes it left in the background") +
             " could not be stopped]";
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
  std::shared_ptr<process::PrivateTemporary> temporary_ =
      std::make_shared<process::PrivateTemporary>();
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
  std::vector<Parameter> parameters{
      {"command", "string", "the command, run with bash -c in the workspace"},
      {"timeout_ms", "integer", "how long it may take; default: two minutes", 1}};
  if (settings.jobs)
    parameters.push_back({"background", "boolean",
                          "true: run it as a background job and return after a second; for servers "
                          "and long commands"});
  return {
      .name = "bash",
      .description =
          "Run a command with bash in the workspace; returns what it printed and how it ended. It "
          "gets no input, and processes it starts in the background end with it.",
      .schema = schema_of("command", parameters),
      .effect = Effect::runs,
      .argument = {model::Argument::Kind::command, "command"},
      .title = title_with("bash", "command"),
      .preview = text_of("command"),
      .run = [bash](const auto& input, const auto& ports) { return bash->run(input, ports); },
      .locate = [roots](std::string_view path) { return roots.located(path, Roots::Use::reads); },
      .survey = survey_of(roots),
      .amendable = "command",
  };
}

}  // namespace skein::tools
