#include "core/process/environment.h"

#include "core/text/std.h"

#include <unistd.h>

#include "core/text/text.h"

namespace skein::process {

namespace {

constexpr std::string_view passed_on =
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS "
    "MAKEFLAGS JAVA_HOME GOPATH GOROOT GOFLAGS CARGO_HOME RUSTUP_HOME VIRTUAL_ENV PYTHONPATH "
    "NODE_PATH NVM_DIR PNPM_HOME CCACHE_DIR XDG_CACHE_HOME PKG_CONFIG_PATH CMAKE_PREFIX_PATH "
    "HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy SSL_CERT_FILE "
    "SSL_CERT_DIR";
constexpr std::string_view secret_words[] = {"key",        "token", "secret", "passw",
                                             "credential", "auth",  "cookie"};
// A command cannot answer a prompt or leave a pager.
constexpr std::string_view settings =
    "TERM=dumb NO_COLOR=1 PAGER=cat GIT_PAGER=cat GIT_TERMINAL_PROMPT=0 GIT_EDITOR=true "
    "DEBIAN_FRONTEND=noninteractive";

bool looks_secret(std::string_view name) { return has_any_of(lower(name), secret_words); }

// A proxy may be named without its scheme: user:password@host:port.
bool holds_login(std::string_view name, std::string_view value) {
  const std::size_t from = lower(name).ends_with("_proxy") ? 0 : value.find("://");
  return from != std::string_view::npos && value.find('@', from) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    variables.emplace_back(*entry);
  return variables;
}

std::vector<std::string> command_environment(const std::vector<std::string>& own,
                                             std::string_view temporary) {
  std::vector<std::string> passed;
  for (const std::string& entry : own) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view name(entry.data(), equals);
    const bool listed = has_word(passed_on, name) || name.starts_with("LC_");
    const std::string_view value = std::string_view(entry).substr(equals + 1);
    if (listed && !looks_secret(name) && !holds_login(name, value)) passed.push_back(entry);
  }
  for (const std::string_view setting : split(settings, ' ')) passed.emplace_back(setting);
  if (!temporary.empty()) passed.push_back("TMPDIR=" + std::string(temporary));
  return passed;
}

}  // namespace skein::process
