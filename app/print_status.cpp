#include "app/print_status.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <utility>

#include "repl/layout/style.h"

namespace skein::app {

namespace {

constexpr long tick_ns = 100'000'000;
constexpr std::int64_t shown_after = 400;  // ms; what is over by then needs no status

}  // namespace

PrintStatus::PrintStatus(screen::Screen::Parts parts, bool wanted) : parts_(std::move(parts)) {
  if (!wanted || !parts_.look.live) return;
  timer_ = Fd(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  const itimerspec time{.it_interval = {0, tick_ns}, .it_value = {0, tick_ns}};
  timerfd_settime(timer_.get(), 0, &time, nullptr);
  begun_ = parts_.port.clock();
  activity_.begin(begun_);
}

model::Ports::Input PrintStatus::input() {
  if (timer_.get() < 0) return {};
  return {.fd = timer_.get(), .on_ready = [this] {
            std::uint64_t times = 0;
            if (::read(timer_.get(), &times, sizeof times) > 0) paint();
          }};
}

void PrintStatus::hear(const model::Event& event) {
  const std::int64_t now = parts_.port.clock();
  activity_.hear(event, now);
  if (const auto* committed = std::get_if<model::Committed>(&event))
    if (const auto message = model::message_of(committed->entry))
      activity_.hear(message->role, now);
}

void PrintStatus::paint() {
  const std::int64_t now = parts_.port.clock();
  const std::size_t width = parts_.port.width();
  if (now - begun_ < shown_after || width < 2) return;
  screen::Status status = activity_.at(now);
  status.frame = frame_++;
  status.stop_key = "";
  parts_.port.write("\r\033[K" + layout::painted(screen::status_text(status, width - 1),
                                                 layout::style::dim, parts_.look));
  painted_ = true;
}

void PrintStatus::erase() {
  if (std::exchange(painted_, false)) parts_.port.write("\r\033[K");
}

}  // namespace skein::app
