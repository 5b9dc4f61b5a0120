// What an address of a database says, setting by setting, and the hosts it names. Only for the
// module that knows libpq, which links nothing of skein: all of it is inline.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skein::store::postgres {

// An address with what the environment and the defaults add to it.
struct Settings {
  std::vector<std::pair<std::string, std::string>> given{};
  std::string problem{};

  std::string get(std::string_view name) const {
    for (const auto& [key, value] : given)
      if (key == name) return value;
    return {};
  }
  void set(const std::string& name, const std::string& value) {
    for (auto& [key, old] : given)
      if (key == name) {
        old = value;
        return;
      }
    given.emplace_back(name, value);
  }
  void set_if_absent(const std::string& name, const std::string& value) {
    if (get(name).empty()) set(name, value);
  }
};

inline std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0;;) {
    const std::size_t comma = text.find(',', at);
    out.push_back(text.substr(at, comma - at));
    if (comma == std::string::npos) return out;
    at = comma + 1;
  }
}

inline constexpr const char* usual_socket_folder = "/var/run/postgresql";

inline bool is_folder(const std::string& host) {
  return host.empty() || host.starts_with('/') || host.starts_with('@');
}

inline bool is_loopback(const std::string& host) {
  return is_folder(host) || host == "localhost" || host == "::1" || host.starts_with("127.");
}

struct Host {
  std::string name{}, port{}, address{};
  std::string shown() const {
    if (is_folder(name)) return (name.empty() ? usual_socket_folder : name) + "/.s.PGSQL." + port;
    return name + ":" + port;
  }
};

inline std::vector<Host> hosts_of(const Settings& settings) {
  const std::vector<std::string> names = listed(settings.get("host")),
                                 ports = listed(settings.get("port")),
                                 addresses = listed(settings.get("hostaddr"));
  std::vector<Host> out;
  for (std::size_t i = 0; i < std::max(names.size(), addresses.size()); ++i) {
    Host host;
    if (i < addresses.size()) host.address = addresses[i];
    host.name = i < names.size() ? names[i] : "";
    if (host.name.empty() && !host.address.empty()) host.name = host.address;
    host.port = ports.size() == 1 ? ports[0] : i < ports.size() ? ports[i] : "";
    if (host.port.empty()) host.port = "5432";
    out.push_back(std::move(host));
  }
  return out;
}

}  // namespace skein::store::postgres
