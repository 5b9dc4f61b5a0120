#include "providers/keys.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "core/text/base.h"
#include "core/text/text.h"
#include "providers/key_command.h"

namespace skein::providers {

namespace {

constexpr std::size_t shortest_secret = 8;

}  // namespace

std::string first_line_of(const std::string& command) { return KeyCommand(command).first_line(); }

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
