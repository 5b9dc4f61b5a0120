#include "core/model/event.h"

#include "core/text/wait.h"

namespace skein::model {

namespace {

// Not every time: a busy tool asks at every line.
auto keyboard_look(const Ports& ports) {
  using Clock = std::chrono::steady_clock;
  return [&ports, next = Clock::time_point{}]() mutable {
    if (ports.input.fd < 0 || Clock::now() < next) return;
    next = Clock::now() + std::chrono::milliseconds(5);
    if (is_readable(ports.input.fd) && ports.input.on_ready) ports.input.on_ready();
  };
}

}  // namespace

bool pause(const Ports& ports, std::chrono::milliseconds time) {
  const Deadline end = std::chrono::steady_clock::now() + time;
  const auto stopped = [&] { return ports.stopped(); };
  while (!stopped() && std::chrono::steady_clock::now() < end)
    if (wait(ports.input.fd, end, stopped) == Wake::ready && ports.input.on_ready)
      ports.input.on_ready();
  return !stopped();
}

std::function<bool()> stop_check(const Ports& ports) {
  return [&ports, look = keyboard_look(ports)]() mutable {
    look();
    return ports.stopped();
  };
}

std::function<bool()> next_stop_check(const Ports& ports) {
  return [look = keyboard_look(ports), stopped = next_stop(ports)]() mutable {
    look();
    return stopped();
  };
}

std::function<bool()> next_stop(const Ports& ports) {
  if (!ports.stopped()) return [&ports] { return ports.stopped(); };
  const auto count = [&ports] { return ports.stops != nullptr ? ports.stops->load() : 0; };
  return [count, before = count()] { return count() != before; };
}

}  // namespace skein::model
