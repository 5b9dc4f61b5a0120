#include "providers/keys.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/text.h"

namespace skein::providers {

namespace {

constexpr std::size_t shortest_secret = 8;
constexpr std::size_t longest_key = 16 * 1024;

// What /bin/sh makes of `command`, with its output in `output`; -1: it cannot be started. Not
// popen: a child would inherit the signals we ignore.
pid_t start_shell(const std::string& command, int output) {
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
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::string shell = "sh", option = "-c", text = command;
  char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = -1;
  const int failed = posix_spawn(&child, "/bin/sh", &actions, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed != 0 ? -1 : child;
}

}  // namespace

std::string first_line_of(const std::string& command) {
  Pipe pipe = make_pipe();
  const pid_t child = pipe.read ? start_shell(command, pipe.write.get()) : -1;
  if (child < 0) throw Error("the key command cannot be started");
  pipe.write.reset();
  std::string output;
  // Read to its end: a command that cannot write dies of it and looks failed.
  read_pieces(pipe.read.get(), std::string::npos, [&](std::string_view piece) {
    if (output.size() < longest_key) output += piece;
    return true;
  });
  if (const int status = wait_for_child(child); status != 0)
    throw Error("the key command failed" +
                (WIFEXITED(status) ? " (exit " + std::to_string(WEXITSTATUS(status)) + ")" : ""));
  const std::string key(trimmed(output.substr(0, output.find('\n'))));
  if (key.empty()) throw Error("the key command printed nothing on its first line");
  return key;
}

void Keyring::remember(const std::string& secret) {
  if (std::ranges::find(secrets_, secret) == secrets_.end()) secrets_.push_back(secret);
}

void Keyring::take_environment(const std::vector<std::string>& variables) {
  for (const std::string& variable : variables) {
    char* value = std::getenv(variable.c_str());
    if (value == nullptr) continue;
    if (std::string key(trimmed(value)); !key.empty()) {
      remember(key);
      taken_[variable] = std::move(key);
    }
    // unsetenv only forgets the pointer; the bytes are what /proc/<pid>/environ shows.
    explicit_bzero(value, std::strlen(value));
    unsetenv(variable.c_str());
  }
}

bool Keyring::has_any(const std::vector<std::string>& variables) const {
  return std::ranges::any_of(variables,
                             [&](const std::string& each) { return taken_.contains(each); });
}

std::optional<std::string> Keyring::find(const std::vector<std::string>& variables,
                                         const std::string& command) {
  for (const std::string& variable : variables)
    if (const auto found = taken_.find(variable); found != taken_.end()) return found->second;
  if (command.empty()) return std::nullopt;
  const auto known = from_command_.find(command);
  if (known != from_command_.end()) return known->second;
  const std::string key = first_line_of(command);
  remember(key);
  from_command_[command] = key;
  return key;
}

std::string mask_secrets(std::string_view text, const std::vector<std::string>& secrets) {
  // Longest first: a key that contains another must not leave its tail behind.
  std::vector<std::string_view> order;
  for (const std::string& secret : secrets)
    if (secret.size() >= shortest_secret) order.push_back(secret);
  std::ranges::sort(order, std::greater{}, &std::string_view::size);
  std::string out(text);
  for (const std::string_view secret : order)
    for (std::size_t at = out.find(secret); at != std::string::npos;
         at = out.find(secret, at + secret_mask.size()))
      out.replace(at, secret.size(), secret_mask);
  return out;
}

std::string StreamMask::feed(std::string_view piece) {
  held_ += piece;
  std::string masked = mask_secrets(held_, secrets_);
  std::size_t keep = 0;
  for (const std::string& secret : secrets_) {
    if (secret.size() < shortest_secret) continue;
    for (std::size_t size = std::min(secret.size() - 1, masked.size()); size > keep; --size)
      if (masked.ends_with(std::string_view(secret).substr(0, size))) keep = size;
  }
  held_ = masked.substr(masked.size() - keep);
  masked.resize(masked.size() - keep);
  return masked;
}

std::string StreamMask::rest() { return std::exchange(held_, {}); }

}  // namespace skein::providers
