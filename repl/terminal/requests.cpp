#include "repl/terminal/requests.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "core/process/child.h"
#include "core/process/environment.h"
#include "core/text/encoding.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::terminal {

constexpr std::size_t widest_title = 60;

void TerminalMarks::title(std::string_view untrusted) {
  if (!titled_) tell("\x1b[22;2t");  // the terminal saves its current title
  titled_ = true;
  tell("\x1b]2;" + layout::fit(layout::sanitized_row(untrusted), widest_title) + "\a");
}

void TerminalMarks::leave() {
  if (titled_) tell("\x1b[23;2t");
  titled_ = false;
}

bool TerminalMarks::pass_on(std::string_view request) const {
  tell(request);
  return write_ != nullptr;
}

void TerminalMarks::sent() {
  tell("\x1b]133;C\a");
  sent_ = true;
}

void TerminalMarks::done(bool well) {
  if (sent_) tell(well ? "\x1b]133;D;0\a" : "\x1b]133;D;1\a");
  sent_ = false;
}

namespace {

// Terminals cut or refuse what is longer.
constexpr std::size_t longest_text = 100'000 / 4 * 3;

struct ClipboardProgram {
  const char* variable;  // it works only where this is set; null: anywhere
  std::vector<const char*> command;
};
const ClipboardProgram programs[] = {{"WAYLAND_DISPLAY", {"wl-copy"}},
                                     {"DISPLAY", {"xclip", "-selection", "clipboard"}},
                                     {"DISPLAY", {"xsel", "--clipboard", "--input"}},
                                     {nullptr, {"pbcopy"}},
                                     {"WSL_DISTRO_NAME", {"clip.exe"}}};

// True: the program read all of it and succeeded. It may stay in the background, as xclip does.
bool feed(const std::vector<const char*>& command, std::string_view text) {
  Pipe pipe = make_pipe();
  const Fd nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!pipe.read || !nowhere) return false;
  const process::StartedChild child =
      process::start_child({.arguments = {command.begin(), command.end()},
                            .environment = process::own_environment(),
                            .input = pipe.read.get(),
                            .output = nowhere.get(),
                            .errors = nowhere.get(),
                            .group = process::Program::Group::ours});
  if (child.error != 0) return false;
  pipe.read.reset();
  const bool written = write_all(pipe.write.get(), text);
  pipe.write.reset();
  const int status = wait_for_child(child.pid);
  return written && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

constexpr std::int64_t long_turn_ms = 10'000;  // by then the user is looking elsewhere
constexpr std::size_t widest_notice = 80, widest_name = 40;

using Way = Notifier::Way;
constexpr std::pair<std::string_view, Way> way_names[] = {
    {"auto", Way::automatic}, {"bell", Way::bell},   {"osc9", Way::osc9},
    {"osc777", Way::osc777},  {"osc99", Way::osc99}, {"command", Way::command},
    {"off", Way::off}};

// Some terminals take apart at a semicolon what is one text to us.
std::string without_semicolons(std::string text) {
  std::ranges::replace(text, ';', ',');
  return text;
}

// The bytes that ask a terminal to show the notice, or to ring.
std::string bytes_of(Way way, const Notification& notice) {
  switch (way) {
    // "skein" in front: a text that begins with a number would be another request.
    case Way::osc9: return "\x1b]9;skein: " + notice.title + ": " + notice.text + "\a";
    case Way::osc777:
      return "\x1b]777;notify;" + without_semicolons(notice.title) + ";" +
             without_semicolons(notice.text) + "\a";
    case Way::osc99:
      return "\x1b]99;i=skein:d=0;" + notice.title + "\x1b\\\x1b]99;i=skein:p=body;" + notice.text +
             "\x1b\\";
    default: return "\a";
  }
}

}  // namespace

std::string clipboard_request(std::string_view text, bool in_tmux) {
  const std::string request = "\x1b]52;c;" + base64(text) + "\a";
  return in_tmux ? request + through_tmux(request) : request;
}

std::optional<double> luminance(std::string_view answer) {
  constexpr std::string_view start = "rgb:", start_with_alpha = "rgba:";
  const bool alpha = answer.starts_with(start_with_alpha);
  if (!alpha && !answer.starts_with(start)) return std::nullopt;
  const std::vector<std::string_view> parts =
      split(answer.substr((alpha ? start_with_alpha : start).size()), '/');
  if (parts.size() != (alpha ? 4 : 3)) return std::nullopt;
  constexpr double weights[] = {0.2126, 0.7152, 0.0722, 0};  // of ITU-R BT.709
  double out = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto value = parse_number<unsigned>(parts[i], 16);
    if (!value || parts[i].size() > 4) return std::nullopt;
    out += weights[i] * *value / ((1u << (4 * parts[i].size())) - 1);
  }
  return out;
}

std::optional<bool> is_light(std::string_view colorfgbg) {
  const std::size_t last = colorfgbg.rfind(';');
  if (last == std::string_view::npos) return std::nullopt;
  const auto background = parse_number<unsigned>(colorfgbg.substr(last + 1));
  if (!background || *background > 15) return std::nullopt;
  constexpr unsigned white = 7, dark_grey = 8;
  return *background == white || *background > dark_grey;
}

std::string copy_text(std::string_view text,
                      const std::function<bool(std::string_view request)>& tell_terminal) {
  const bool far_away = !env("SSH_CONNECTION").empty();
  const std::string size = counted(text.size(), "byte");
  for (const ClipboardProgram& program : programs)
    if (!far_away && (program.variable == nullptr || !env(program.variable).empty()) &&
        feed(program.command, text))
      return "copied " + size + " with " + program.command.front();
  if (text.size() > longest_text)
    throw Error(size + " is too much to copy through the terminal; /export writes it to a file");
  if (!tell_terminal(clipboard_request(text, !env("TMUX").empty())))
    throw Error("cannot copy: there is no terminal and no wl-copy, xclip or xsel");
  return "asked the terminal to copy " + size + "; not every terminal supports that";
}

std::optional<Way> parse_way(std::string_view name) {
  const auto* found = std::ranges::find(way_names, name, &std::pair<std::string_view, Way>::first);
  return found != std::end(way_names) ? std::optional(found->second) : std::nullopt;
}

bool Notifier::is_long() const { return parts_.clock() - began_ >= long_turn_ms; }

void Notifier::turn_ends(std::string_view title, bool well) {
  if (!is_long()) return;
  call(well ? "done" : "failed", title,
       (well ? "done in " : "failed after ") + short_duration(parts_.clock() - began_));
}

void Notifier::question_waits(std::string_view title, std::string_view about, Question kind) {
  if (parts_.way == Way::off) return;
  if (kind == Question::common && !parts_.in_front() && !is_long()) return;
  call("question", title, "asks: " + std::string(about));
}

void Notifier::call(std::string_view event, std::string_view title, const std::string& text) const {
  if (parts_.way == Way::off || parts_.in_front() == true) return;
  Notification notice{event, layout::fit(layout::sanitized_row(title), widest_name), {}};
  const std::size_t used = layout::display_width(notice.title) + 2;
  notice.text = layout::fit(layout::sanitized_row(text), widest_notice - used);
  if (parts_.way == Way::command) {
    if (parts_.run) parts_.run(notice);
  } else if (parts_.write) {
    const Way way = parts_.way == Way::automatic ? parts_.abilities.notice : parts_.way;
    const std::string bytes = bytes_of(way, notice);
    // tmux turns a bell into its own alert, and passes the rest on only if it is allowed to.
    const bool wrapped = parts_.abilities.in_tmux && way != Way::bell;
    parts_.write(wrapped ? through_tmux(bytes) + "\a" : bytes);
  }
}

}  // namespace skein::terminal
