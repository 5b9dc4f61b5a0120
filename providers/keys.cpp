#include "providers/keys.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/process/child.h"
#include "core/process/environment.h"
#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::providers {

namespace {

constexpr std::size_t longest_key = 16 * 1024, shortest_secret = 8;

// What was taken from the environment, by variable, for all keyrings of this process.
std::map<std::string, std::string> all_taken;
std::mutex taking;

// Read to its end: a command that cannot write dies of it and looks failed. nullopt: stopped.
std::optional<std::string> output_of(int fd, const std::function<bool()>& stopped) {
  constexpr std::chrono::milliseconds glance{50};
  std::string out;
  std::array<char, 4096> buffer;
  for (;;) {
    if (stopped) {
      if (stopped()) return std::nullopt;
      if (wait(fd, std::chrono::steady_clock::now() + glance) != Wake::ready) continue;
    }
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return out;
    if (out.size() < longest_key) out.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string first_line_of(const std::string& command, CommandPlace place,
                          const std::function<bool()>& stopped) {
  using Group = process::Program::Group;
  const bool grouped = place == CommandPlace::own_group;
  Pipe pipe = make_pipe();
  pid_t child = -1;
  if (pipe.read)
    child = process::start_child({.arguments = {"sh", "-c", command},
                                  .environment = process::own_environment(),
                                  .path = "/bin/sh",
                                  .output = pipe.write.get(),
                                  .group = grouped ? Group::own : Group::ours})
                .pid;
  if (child < 0) throw Error("the key command cannot be started");
  pipe.write.reset();
  const std::optional<std::string> printed = output_of(pipe.read.get(), stopped);
  if (!printed) kill(grouped ? -child : child, SIGKILL);
  const int status = wait_for_child(child);
  if (!printed) throw Error("the key command was stopped");
  if (status != 0)
    throw Error("the key command failed" +
                (WIFEXITED(status) ? " (exit " + std::to_string(WEXITSTATUS(status)) + ")" : ""));
  std::string key(trimmed(printed->substr(0, printed->find('\n'))));
  if (key.empty()) throw Error("the key command printed nothing on its first line");
  return key;
}

void Keyring::remember(const std::string& secret) {
  if (std::ranges::find(secrets_, secret) == secrets_.end()) secrets_.push_back(secret);
}

void Keyring::take_environment(const std::vector<std::string>& variables) {
  const std::lock_guard lock(taking);
  for (const std::string& variable : variables) {
    if (char* value = std::getenv(variable.c_str()); value != nullptr) {
      all_taken[variable] = trimmed(value);
      // unsetenv only forgets the pointer; the bytes are what /proc/<pid>/environ shows.
      explicit_bzero(value, std::strlen(value));
      unsetenv(variable.c_str());
    }
    const auto key = all_taken.find(variable);
    if (key == all_taken.end() || key->second.empty()) continue;
    remember(key->second);
    taken_[variable] = key->second;
  }
}

std::optional<std::string> Keyring::variable(const std::string& name) {
  const std::lock_guard lock(taking);
  if (const auto taken = all_taken.find(name); taken != all_taken.end()) return taken->second;
  const char* const value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::string Keyring::source(const KeySources& sources) const {
  for (const std::string& variable : sources.variables)
    if (taken_.contains(variable)) return variable;
  if (!sources.command.empty()) return "key command";
  return stored_.contains(sources.provider) || store_.has(sources.provider) ? "stored key" : "";
}

std::optional<std::string> Keyring::find(const KeySources& sources) {
  for (const std::string& variable : sources.variables)
    if (const auto found = taken_.find(variable); found != taken_.end()) return found->second;
  const auto known = [&](std::map<std::string, std::string>& keys, const std::string& name,
                         const auto& look) -> std::optional<std::string> {
    if (const auto found = keys.find(name); found != keys.end()) return found->second;
    const std::optional<std::string> key = look();
    if (!key) return std::nullopt;
    remember(*key);
    return keys[name] = *key;
  };
  if (!sources.command.empty())
    return known(from_command_, sources.command,
                 [&] { return std::optional(first_line_of(sources.command)); });
  return known(stored_, sources.provider, [&] { return store_.read(sources.provider); });
}

void Keyring::give(const std::string& provider, const std::string& key) {
  remember(key);
  stored_[provider] = key;
}

std::string KeyStore::file_of(std::string_view provider) const {
  const bool plain = !provider.empty() && !provider.starts_with('.') &&
                     provider.find('/') == std::string_view::npos;
  return folder_.empty() || !plain ? "" : folder_ + "/" + std::string(provider);
}

bool KeyStore::has(std::string_view provider) const {
  const std::string file = file_of(provider);
  return !file.empty() && access(file.c_str(), F_OK) == 0;
}

std::optional<std::string> KeyStore::read(std::string_view provider) const {
  if (!has(provider)) return std::nullopt;
  const std::string file = file_of(provider);
  const auto wrong = [&](const std::string& why) {
    return Error("the stored key of " + std::string(provider) + " is not used: " + why);
  };
  const Fd opened = open_regular(file, Links::refused);
  struct stat info {};
  if (!opened || fstat(opened.get(), &info) != 0) throw wrong(file + ": " + std::strerror(errno));
  if (info.st_uid != geteuid() || (info.st_mode & 077) != 0)
    throw wrong("other users can read it; run chmod 600 " + file);
  const std::optional<std::string> text = read_all(opened.get(), longest_key);
  if (!text) throw wrong(file + " cannot be read");
  std::string key(trimmed(*text));
  if (key.empty()) throw wrong(file + " is empty");
  return key;
}

void KeyStore::store(std::string_view provider, const std::string& key) const {
  const std::string file = file_of(provider);
  if (file.empty())
    throw Error("there is no place to store a key; set HOME or XDG_STATE_HOME to an absolute path");
  if (!replace_small_file(file, key + "\n", Lasting::yes))
    throw Error("cannot store the key: " + file + ": " + std::strerror(errno));
}

bool KeyStore::remove(std::string_view provider) const {
  const std::string file = file_of(provider);
  if (file.empty() || unlink(file.c_str()) == 0) return !file.empty();
  if (errno == ENOENT) return false;
  throw Error("cannot remove the key: " + file + ": " + std::strerror(errno));
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
