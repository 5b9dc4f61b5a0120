#include "core/model/pause.h"

#include "core/text/wait.h"

namespace skein::model {

bool pause(const Ports& ports, std::chrono::milliseconds time) {
  const Deadline end = std::chrono::steady_clock::now() + time;
  const auto stopped = [&] { return ports.stopped(); };
  while (!stopped() && std::chrono::steady_clock::now() < end)
    if (wait(ports.input.fd, end, stopped) == Wake::ready && ports.input.on_ready)
      ports.input.on_ready();
  return !stopped();
}

}  // namespace skein::model
