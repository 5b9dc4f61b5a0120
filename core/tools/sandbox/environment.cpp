#include "core/tools/sandbox/environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace skein::tools::sandbox {

namespace {

constexpr std::array<std::string_view, 38> passed_on{
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "CC",
    "CXX",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "MAKEFLAGS",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "GOFLAGS",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "NODE_PATH",
    "NVM_DIR",
    "PNPM_HOME",
    "CCACHE_DIR",
    "XDG_CACHE_HOME",
    "PKG_CONFIG_PATH",
    "CMAKE_PREFIX_PATH",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
};
constexpr std::array secret_words{"KEY",        "TOKEN", "SECRET", "PASSW",
                                  "CREDENTIAL", "AUTH",  "COOKIE"};

// Nobody is there to answer a prompt or to leave a pager.
constexpr std::array settings{"TERM=dumb",
                              "NO_COLOR=1",
                              "PAGER=cat",
                              "GIT_PAGER=cat",
                              "GIT_TERMINAL_PROMPT=0",
                              "GIT_EDITOR=true",
                              "DEBIAN_FRONTEND=noninteractive"};

std::string upper_case(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

bool looks_secret(std::string_view name) {
  const std::string upper = upper_case(name);
  return std::ranges::any_of(
      secret_words, [&](const char* word) { return upper.find(word) != std::string::npos; });
}

// A proxy may be named without its scheme: user:password@host:port.
bool holds_login(std::string_view name, std::string_view value) {
  const std::size_t from = upper_case(name).ends_with("_PROXY") ? 0 : value.find("://");
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
    const bool listed = std::ranges::count(passed_on, name) > 0 || name.starts_with("LC_");
    const std::string_view value = std::string_view(entry).substr(equals + 1);
    if (listed && !looks_secret(name) && !holds_login(name, value)) passed.push_back(entry);
  }
  for (const char* setting : settings) passed.emplace_back(setting);
  if (!temporary.empty()) passed.push_back("TMPDIR=" + std::string(temporary));
  return passed;
}

}  // namespace skein::tools::sandbox
