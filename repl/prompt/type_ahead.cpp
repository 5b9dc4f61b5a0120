#include "repl/prompt/type_ahead.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <utility>

#include "core/text/text.h"
#include "repl/prompt/live_input.h"

namespace skein::prompt {

namespace {

using Code = terminal::Key::Code;
using terminal::Action;
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

TypeAhead::TypeAhead(Parts parts)
    : parts_(std::move(parts)),
      line_(parts_.history, {}, parts_.complete, parts_.keyboard.keys()),
      chords_(parts_.keyboard.keys(), terminal::Place::turn),
      waiting_(parts_.steering),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      both_(epoll_create1(EPOLL_CLOEXEC)) {
  watch(both_, parts_.keyboard.terminal().in());
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
  if (parts_.keyboard.terminal().has_early_input()) take_keys();
  epoll_event events[2];
  const int count = epoll_wait(both_, events, 2, 0);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.fd == timer_) {
      std::uint64_t times = 0;
      static_cast<void>(::read(timer_, &times, sizeof times) > 0);
      if (parts_.keyboard.in_doubt())
        if (const auto key = parts_.keyboard.settle()) use(*key);
      show();  // the window may have another size by now
      parts_.screen.tick();
      if (edit::Draft now = all(); now != kept_) parts_.keep(kept_ = std::move(now));
      continue;
    }
    take_keys();
  }
}

void TypeAhead::take_keys() {
  parts_.keyboard.take_in();
  if (parts_.keyboard.hung_up()) {  // the descriptor would stay readable forever
    epoll_ctl(both_, EPOLL_CTL_DEL, parts_.keyboard.terminal().in(), nullptr);
    stop();
  }
  while (const auto key = parts_.keyboard.ready()) use(*key);
  show();
  // A lone Esc is known to be the Esc key once nothing has followed it for a moment.
  if (parts_.keyboard.in_doubt()) set_timer(milliseconds(terminal::KeyDecoder::pause_ms));
}

void TypeAhead::stop() {
  parts_.stop = true;
  ++parts_.stops;
}

void TypeAhead::use(const terminal::Key& key) {
  last_key_ = Clock::now();
  const bool empty = line_.text().empty();
  const bool closes_list = key.code == Code::escape && line_.refreshed_popup().shown();
  const Action action = chords_.read(key);
  if (key == terminal::ctrl('c') || (action == Action::stop && !closes_list)) {
    stop();
  } else if (action == Action::background && empty) {
    parts_.to_background = true;
  } else if (action == Action::steer) {
    send(!parts_.enter_steers);
  } else if (key.code == Code::up && empty && !waiting_.empty()) {
    take_back(waiting_.size());
  } else if (empty && terminal::typed(key) == "?") {  // no help now: it is text
    line_.line().apply(key);
  } else {
    act(line_.use(key));
  }
}

// What needs the whole terminal waits until the turn is over.
void TypeAhead::act(PromptLine::EditorAction action) {
  using enum PromptLine::EditorAction;
  if (action == send) return this->send(parts_.enter_steers);
  if (action == abort) stop();
  if (action == expand) parts_.screen.expand_last();
  if (action == show_thinking) parts_.screen.change_thinking();
  if (action == suspend) {
    parts_.screen.pause();
    parts_.keyboard.terminal().suspend();
  }
}

void TypeAhead::send(bool steers) {
  if (parts_.stop) sends_after_stop_ = true;  // Esc, then Enter
  edit::Draft line = draft();
  line_.start({});
  constexpr std::string_view steer_command = "/steer ";
  const std::string text(trimmed(line.text));
  if (text.empty()) return;
  if (text == "/queue" || text.starts_with("/queue ")) return change_queue(text.substr(6));
  if (text.starts_with(steer_command)) {
    line.text.erase(0, line.text.find(steer_command) + steer_command.size());
    steers = true;
  } else if (text.starts_with('/') || text.starts_with('!')) {
    steers = false;  // nothing for the model
  }
  if (trimmed(line.text).empty()) return;
  steers && !parts_.stop ? waiting_.steer(std::move(line)) : waiting_.queue(std::move(line));
}

void TypeAhead::change_queue(std::string_view words) {
  const auto [verb, rest] = first_word(trimmed(words, " "));
  std::size_t number = 0;
  const std::string digits(trimmed(rest, " "));
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (verb == "clear") {
    while (waiting_.take_back_last()) continue;
    return tell(waiting_.empty() ? "nothing waits any more" : "the rest is on its way already");
  }
  if (verb == "edit") return take_back(number);
  if (verb == "drop")
    return tell(waiting_.take_back(number) ? "line " + digits + " is dropped"
                                           : "there is no line " + digits + " to drop");
  if (!verb.empty()) return tell("/queue takes drop N, edit N or clear");
  std::string lines;
  for (const std::string& each : waiting_.described()) lines += (lines.empty() ? "" : "\n") + each;
  tell(lines.empty() ? "nothing waits" : lines);
}

// What is in the line already goes to where the other came from.
void TypeAhead::take_back(std::size_t number) {
  std::optional<edit::Draft> line = waiting_.take_back(number);
  if (!line) return tell("there is no such line, or the model has it already");
  if (!line_.text().empty()) waiting_.queue(draft());
  line_.start(*std::move(line));
}

void TypeAhead::tell(std::string text) {
  parts_.screen.show(model::Notice{model::Notice::Level::info, std::move(text)});
}

void TypeAhead::show() {
  Popup& popup = line_.refreshed_popup();
  const std::string hint = line_.text().empty() ? placeholder() : line_.hint();
  parts_.screen.set_input(live_input(
      {.waiting = waiting_.described(), .line = line_.line(), .hint = hint, .popup = &popup},
      parts_.keyboard.terminal().size()));
  popup.set_shown();
}

// "Enter queues, Alt+Enter steers"
std::string TypeAhead::placeholder() const {
  const std::string sends = parts_.keyboard.keys().first_shown(Action::send);
  const std::string steers = parts_.keyboard.keys().first_shown(Action::steer);
  const bool now = parts_.enter_steers;
  return sends + (now ? " tells it now" : " queues") +
         (steers.empty() ? "" : ", " + steers + (now ? " later" : " steers"));
}

edit::Draft TypeAhead::all() {
  if (waiting_.empty()) return draft();
  std::string text;
  for (const edit::Draft& each : waiting_.drafts()) text += edit::whole(each) + "\n";
  text += edit::whole(draft());
  if (text.ends_with('\n')) text.pop_back();
  edit::Draft out;
  out.text = edit::deserves_chip(text) ? edit::make_chip(out, text) : text;
  return out;
}

void TypeAhead::let_typing_pause() {
  for (terminal::Key key;;) {
    const auto quiet = std::chrono::floor<milliseconds>(Clock::now() - last_key_);
    const milliseconds left = quiet < typing_pause ? typing_pause - quiet : milliseconds(0);
    if (parts_.stop || parts_.keyboard.next(key, left) != terminal::Keyboard::KeyResult::key)
      return;
    use(key);
    show();
  }
}

}  // namespace skein::prompt
