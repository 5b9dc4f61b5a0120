#include "repl/prompt/type_ahead.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace skein::prompt {

namespace {

using Code = terminal::Key::Code;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds tick{100};
constexpr milliseconds typing_pause{400};

void watch(int both, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(both, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

TypeAhead::TypeAhead(terminal::Keyboard& keyboard, screen::Screen& screen, std::atomic<bool>& stop,
                     std::atomic<bool>& to_background, std::function<void(const edit::Draft&)> keep)
    : keyboard_(keyboard),
      screen_(screen),
      stop_(stop),
      to_background_(to_background),
      keep_(std::move(keep)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      both_(epoll_create1(EPOLL_CLOEXEC)) {
  watch(both_, keyboard_.terminal().in());
  watch(both_, timer_);
  set_timer(tick);
}

TypeAhead::~TypeAhead() {
  close(timer_);
  close(both_);
}

void TypeAhead::set_timer(milliseconds after) const {
  itimerspec time{};
  time.it_value.tv_nsec = after.count() * 1'000'000;
  time.it_interval.tv_nsec = tick.count() * 1'000'000;
  timerfd_settime(timer_, 0, &time, nullptr);
}

model::Ports::Input TypeAhead::input() {
  return {.fd = both_, .on_ready = [this] { look(); }};
}

void TypeAhead::look() {
  if (keyboard_.terminal().has_early_input()) take_keys();
  epoll_event events[2];
  const int count = epoll_wait(both_, events, 2, 0);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.fd == timer_) {
      std::uint64_t times = 0;
      static_cast<void>(::read(timer_, &times, sizeof times) > 0);
      if (keyboard_.in_doubt())
        if (const auto key = keyboard_.settle()) use(*key);
      screen_.tick();
      if (edit::Draft now = all(); now != kept_) keep_(kept_ = std::move(now));
      continue;
    }
    take_keys();
  }
}

void TypeAhead::take_keys() {
  keyboard_.take_in();
  if (keyboard_.hung_up()) {  // the descriptor would stay readable forever
    epoll_ctl(both_, EPOLL_CTL_DEL, keyboard_.terminal().in(), nullptr);
    stop_ = true;
  }
  while (const auto key = keyboard_.ready()) use(*key);
  // A lone Esc is known to be the Esc key once nothing has followed it for a moment.
  if (keyboard_.in_doubt()) set_timer(milliseconds(terminal::KeyDecoder::pause_ms));
}

void TypeAhead::use(const terminal::Key& key) {
  last_key_ = Clock::now();
  if (key == terminal::ctrl('c') || key.code == Code::escape) {
    stop_ = true;
  } else if (key == terminal::ctrl('z')) {
    screen_.pause();
    keyboard_.terminal().suspend();
  } else if (key == terminal::ctrl('o')) {
    screen_.expand_last();
  } else if (key == terminal::ctrl('b') && line_.text().empty()) {
    to_background_ = true;
  } else if (key == terminal::ctrl('t') && line_.text().empty()) {
    screen_.change_thinking();
  } else if (key == skein::terminal::key(Code::enter)) {
    if (!line_.draft().empty()) queued_.push_back(line_.draft());
    line_.start({});
  } else if (key.code == Code::up && line_.text().empty() && !queued_.empty()) {
    line_.start(std::move(queued_.back()));  // edit it again
    queued_.pop_back();
  } else if (key.code == Code::up) {
    line_.up();
  } else if (key.code == Code::down) {
    line_.down();
  } else {
    line_.apply(key);
  }
  show();
}

void TypeAhead::show() {
  std::string text;
  if (!queued_.empty()) text = std::to_string(queued_.size()) + " queued · ";
  screen_.set_draft(text + line_.text());
}

edit::Draft TypeAhead::all() const {
  if (queued_.empty()) return line_.draft();
  std::string text;
  for (const edit::Draft& each : queued_) text += edit::whole(each) + "\n";
  text += edit::whole(line_.draft());
  if (text.ends_with('\n')) text.pop_back();
  edit::Draft out;
  out.text = edit::deserves_chip(text) ? edit::make_chip(out, text) : text;
  return out;
}

void TypeAhead::let_typing_pause() {
  for (terminal::Key key;;) {
    const auto quiet = std::chrono::floor<milliseconds>(Clock::now() - last_key_);
    const milliseconds left = quiet < typing_pause ? typing_pause - quiet : milliseconds(0);
    if (stop_ || keyboard_.next(key, left) != terminal::Keyboard::KeyResult::key) return;
    use(key);
  }
}

}  // namespace skein::prompt
