#include "repl/edit/external_editor.h"

#include "core/text/std.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "core/process/child.h"
#include "core/process/environment.h"
#include "core/text/text.h"
#include "repl/terminal/on_exit.h"

namespace skein::edit {

namespace {

// ".cpp" of src/main.cpp; empty unless it is plainly a suffix.
std::string ending_of(const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension().string();
  const bool plain = ending.size() <= 12 && std::ranges::all_of(ending, [](char c) {
                       return c == '.' || is_alphanumeric(c);
                     });
  return plain ? ending : "";
}

std::string editor() {
  for (const char* name : {"VISUAL", "EDITOR"})
    if (const std::string value = env(name); !value.empty()) return value;
  return "vi";
}

}  // namespace

int run_at_terminal(const std::vector<std::string>& words, terminal::Terminal* terminal,
                    const std::function<void(std::string_view)>& output,
                    const std::string& folder) {
  std::optional<terminal::TerminalMode> as_found;
  if (terminal != nullptr) as_found.emplace(*terminal, terminal::Terminal::Mode::found);
  // ^C and ^\ are meant for the child while it runs.
  struct sigaction ignore {};
  struct sigaction interrupt {};
  struct sigaction quit {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &interrupt);
  sigaction(SIGQUIT, &ignore, &quit);
  const terminal::OnExit heard_again([&] {
    sigaction(SIGINT, &interrupt, nullptr);
    sigaction(SIGQUIT, &quit, nullptr);
  });
  Pipe pipe = output ? make_pipe() : Pipe{};
  const Fd opened(folder.empty() ? -1 : open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if ((output && !pipe.read) || (!folder.empty() && !opened)) return 127;
  const process::StartedChild child =
      process::start_child({.arguments = words,
                            .environment = process::own_environment(),
                            .folder = opened.get(),
                            .output = pipe.write.get(),
                            .errors = pipe.write.get(),
                            .group = process::Program::Group::ours});
  if (child.error != 0) return 127;
  if (output) {
    pipe.write.reset();
    read_pieces(pipe.read.get(), std::string::npos, [&](std::string_view piece) {
      output(piece);
      return true;
    });
  }
  const int status = wait_for_child(child.pid);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Through the shell: $EDITOR may hold arguments, as in "code --wait".
bool edit_in_place(const std::string& file, terminal::Terminal* terminal) {
  return run_at_terminal({"/bin/sh", "-c", editor() + " \"$1\"", "sh", file}, terminal) == 0;
}

std::optional<std::string> edited_elsewhere(const std::string& text, terminal::Terminal& terminal,
                                            const std::string& like) {
  // Private, and removed afterwards.
  const std::string ending = ending_of(like);
  std::string file = temporary_folder() + "/skein-XXXXXX" + ending;
  Fd made(mkostemps(file.data(), static_cast<int>(ending.size()), O_CLOEXEC));
  const terminal::OnExit removed([&] { unlink(file.c_str()); });
  const bool written = made && write_all(made.get(), text);
  made.reset();
  if (!written || !edit_in_place(file, &terminal)) return std::nullopt;
  std::optional<std::string> out = file_text(file);
  if (out && out->ends_with('\n') && !text.ends_with('\n')) out->pop_back();
  return out;
}

}  // namespace skein::edit
