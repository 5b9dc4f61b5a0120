#include "repl/edit/external_editor.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/small_file.h"
#include "core/text/text.h"

namespace skein::edit {

namespace {

// ^C and ^\ are meant for the child while it runs.
class SignalsIgnored {
 public:
  SignalsIgnored() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
  }
  ~SignalsIgnored() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }
  SignalsIgnored(const SignalsIgnored&) = delete;
  SignalsIgnored& operator=(const SignalsIgnored&) = delete;

 private:
  struct sigaction interrupt_ {
  }, quit_{};
};

// A private file that is removed afterwards.
class TextFile {
 public:
  TextFile(const std::string& text, const std::string& ending) {
    path_ = temporary_folder() + "/skein-XXXXXX" + ending;
    const Fd fd(mkostemps(path_.data(), static_cast<int>(ending.size()), O_CLOEXEC));
    written_ = fd && write_all(fd.get(), text);
  }
  ~TextFile() { unlink(path_.c_str()); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  bool written() const { return written_; }
  const std::string& path() const { return path_; }
  std::optional<std::string> text() const { return file_text(path_); }

 private:
  std::string path_{};
  bool written_ = false;
};

// ".cpp" of src/main.cpp; empty unless it is plainly a suffix.
std::string ending_of(const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension().string();
  const bool plain = ending.size() <= 12 && std::ranges::all_of(ending, [](unsigned char c) {
                       return c == '.' || (c < 0x80 && std::isalnum(c) != 0);
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
  const SignalsIgnored ours;
  Pipe pipe = output ? make_pipe() : Pipe{};
  if (output && !pipe.read) return 127;
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (const int each : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ})
      std::signal(each, SIG_DFL);
    if (output)
      for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) dup2(pipe.write.get(), fd);
    if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(127);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  if (output) {
    pipe.write.reset();
    if (child > 0)
      read_pieces(pipe.read.get(), std::string::npos, [&](std::string_view piece) {
        output(piece);
        return true;
      });
  }
  if (child < 0) return 127;
  const int status = wait_for_child(child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Through the shell: $EDITOR may hold arguments, as in "code --wait".
bool edit_in_place(const std::string& file, terminal::Terminal* terminal) {
  return run_at_terminal({"/bin/sh", "-c", editor() + " \"$1\"", "sh", file}, terminal) == 0;
}

std::optional<std::string> edited_elsewhere(const std::string& text, terminal::Terminal& terminal,
                                            const std::string& like) {
  const TextFile file(text, ending_of(like));
  if (!file.written()) return std::nullopt;
  if (!edit_in_place(file.path(), &terminal)) return std::nullopt;
  std::optional<std::string> out = file.text();
  if (out && out->ends_with('\n') && !text.ends_with('\n')) out->pop_back();
  return out;
}

}  // namespace skein::edit
