#include "core/store/lease.h"

#include <unistd.h>

#include <array>
#include <string_view>

namespace skein::store {

std::string who_we_are() {
  std::array<char, 256> name{};
  std::string host = "localhost";
  if (gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0') host = name.data();
  constexpr std::string_view devices = "/dev/";
  for (const int fd : {STDIN_FILENO, STDERR_FILENO})
    if (ttyname_r(fd, name.data(), name.size()) == 0) {
      const std::string_view tty = name.data();
      return host + " " + std::string(tty.starts_with(devices) ? tty.substr(devices.size()) : tty);
    }
  return host + " process " + std::to_string(getpid());
}

}  // namespace skein::store
