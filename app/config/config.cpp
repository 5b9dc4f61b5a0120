#include "app/config/config.h"

namespace skein::config {

tools::sandbox::ProgramLimits Config::command_limits() const {
  return {.processes = static_cast<std::uint64_t>(sandbox_processes),
          .memory = static_cast<std::uint64_t>(sandbox_memory) << 20};
}

}  // namespace skein::config
