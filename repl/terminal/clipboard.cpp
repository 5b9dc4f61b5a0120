#include "repl/terminal/clipboard.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <vector>

#include "core/text/amounts.h"
#include "core/text/base.h"
#include "core/text/base64.h"
#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "repl/terminal/abilities.h"

namespace skein::terminal {

namespace {

// Terminals cut or refuse what is longer.
constexpr std::size_t longest_text = 100'000 / 4 * 3;

struct Helper {
  const char* variable;  // it works only where this is set; null: anywhere
  std::vector<const char*> command;
};
const Helper helpers[] = {{"WAYLAND_DISPLAY", {"wl-copy"}},
                          {"DISPLAY", {"xclip", "-selection", "clipboard"}},
                          {"DISPLAY", {"xsel", "--clipboard", "--input"}},
                          {nullptr, {"pbcopy"}},
                          {"WSL_DISTRO_NAME", {"clip.exe"}}};

// True: the program was there, read all of it and was content. It may stay in the background, as
// xclip does to answer those who paste.
bool feed(const std::vector<const char*>& command, std::string_view text) {
  Pipe pipe = make_pipe();
  if (!pipe.read) return false;
  std::vector<char*> arguments;
  for (const char* word : command) arguments.push_back(const_cast<char*>(word));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    for (const int each : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(each, SIG_DFL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(pipe.read.get(), STDIN_FILENO);
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, fd);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  pipe.read.reset();
  const bool written = write_all(pipe.write.get(), text);
  pipe.write.reset();
  const int status = wait_for_child(child);
  return written && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string clipboard_request(std::string_view text, bool in_tmux) {
  const std::string request = "\x1b]52;c;" + base64(text) + "\a";
  return in_tmux ? request + through_tmux(request) : request;
}

std::string copy_text(std::string_view text,
                      const std::function<bool(std::string_view request)>& tell_terminal) {
  const bool far_away = !env("SSH_CONNECTION").empty();
  const std::string size = counted(text.size(), "byte");
  for (const Helper& helper : helpers)
    if (!far_away && (helper.variable == nullptr || !env(helper.variable).empty()) &&
        feed(helper.command, text))
      return "copied " + size + " with " + helper.command.front();
  if (text.size() > longest_text)
    throw Error(size + " are more than a terminal takes; /export writes them to a file");
  if (!tell_terminal(clipboard_request(text, !env("TMUX").empty())))
    throw Error("there is no terminal and no wl-copy, xclip or xsel to copy with");
  return "asked the terminal to copy " + size + "; not every terminal does";
}

}  // namespace skein::terminal
