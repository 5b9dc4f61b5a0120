#include "providers/key_command.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::providers {

namespace {

constexpr std::size_t longest_key = 16 * 1024;

// What /bin/sh makes of `command`, with its output in `output`; -1: it cannot be started. Not
// popen: a child would inherit the signals we ignore.
pid_t start_shell(const std::string& command, int output, KeyCommand::Place place) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t ignored;
  sigemptyset(&ignored);
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&ignored, signal);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  sigset_t none;  // a thread may have blocked them all
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  const bool own = place == KeyCommand::Place::own_group;
  posix_spawnattr_setflags(&attributes,
                           static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                              (own ? POSIX_SPAWN_SETPGROUP : 0)));
  std::string shell = "sh", option = "-c", text = command;
  char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = -1;
  const int failed = posix_spawn(&child, "/bin/sh", &actions, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed != 0 ? -1 : child;
}

}  // namespace

KeyCommand::KeyCommand(const std::string& command, Place place) : place_(place) {
  Pipe pipe = make_pipe();
  child_ = pipe.read ? start_shell(command, pipe.write.get(), place) : -1;
  if (child_ < 0) throw Error("the key command cannot be started");
  output_ = std::move(pipe.read);
}

KeyCommand::~KeyCommand() {
  if (child_ < 0) return;
  kill(place_ == Place::own_group ? -child_ : child_, SIGKILL);
  wait_for_child(child_);
}

// Read to its end: a command that cannot write dies of it and looks failed.
std::string KeyCommand::output(const std::function<bool()>& stopped) {
  constexpr std::chrono::milliseconds glance{50};
  std::string out;
  std::array<char, 4096> buffer;
  for (;;) {
    if (stopped) {
      if (stopped()) throw Error("the key command was stopped");
      if (wait(output_.get(), std::chrono::steady_clock::now() + glance) != Wake::ready) continue;
    }
    const ssize_t got = read(output_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return out;
    if (out.size() < longest_key) out.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::string KeyCommand::first_line(const std::function<bool()>& stopped) {
  const std::string printed = output(stopped);
  if (const int status = wait_for_child(std::exchange(child_, -1)); status != 0)
    throw Error("the key command failed" +
                (WIFEXITED(status) ? " (exit " + std::to_string(WEXITSTATUS(status)) + ")" : ""));
  std::string key(trimmed(printed.substr(0, printed.find('\n'))));
  if (key.empty()) throw Error("the key command printed nothing on its first line");
  return key;
}

}  // namespace skein::providers
