// What people are told about the reach of commands: the network, limits, gaps of old kernels.
#include <array>
#include <string>

#include "core/tools/sandbox/process.h"
#include "core/tools/sandbox/sandbox.h"
#include "core/tools/sandbox/socket_filter.h"

namespace skein::tools::sandbox {

namespace {

struct Gap {
  int closed_by;  // the version of Landlock
  std::string_view what;
};
constexpr std::array gaps{
    Gap{3, "empty files elsewhere"},
    Gap{5, "control devices"},
    Gap{6, "signal your other processes and talk to their abstract sockets"},
};

}  // namespace

std::string landlock_weakness(int version) {
  std::string list;
  for (const Gap& gap : gaps)
    if (version < gap.closed_by) list += (list.empty() ? "" : ", ") + std::string(gap.what);
  return list.empty() ? "" : "; this kernel's Landlock still lets them " + list;
}

std::string describe_network(Sandbox sandbox, bool wanted) {
  if (wanted) return "open to commands (`sandbox-network = false` closes it)";
  if (sandbox == Sandbox::bubblewrap) return "closed to commands";
  if (socket_filter_works()) return "closed to commands, connections within this machine too";
  return "open to commands, although `sandbox-network` is false: this kernel cannot close it";
}

std::string describe(const ProgramLimits& limits) {
  std::string out = limits.processes == 0
                        ? "a command may start any number of processes"
                        : "a command may start about " + std::to_string(limits.processes) +
                              " processes (the kernel does not hold root to it)";
  return out + (limits.memory == 0
                    ? ", each with any amount of memory"
                    : ", each with " + std::to_string(limits.memory >> 20) + " MiB of memory");
}

}  // namespace skein::tools::sandbox
