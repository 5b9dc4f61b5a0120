#include "repl/prompt/type_ahead.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "core/text/text.h"
#include "repl/terminal/inline_panel.h"

namespace skein::prompt {

namespace {

namespace style = layout::style;
using std::chrono::milliseconds;

constexpr std::string_view mark = "› ";
constexpr std::size_t mark_columns = 2, most_waiting = 3, most_choices = 9;

using Code = terminal::Key::Code;
using Clock = std::chrono::steady_clock;

constexpr milliseconds tick{100};
constexpr milliseconds typing_pause{400};

}  // namespace

screen::LiveInput live_input(const InputParts& parts, const terminal::Terminal::Size& size) {
  const std::size_t free = std::max<std::size_t>(1, layout::left_of(size.rows, 3));
  // The last column stays free.
  const std::size_t columns = std::max<std::size_t>(4, layout::left_of(size.columns, 1));
  screen::LiveInput out{.used = !parts.line.text().empty() || !parts.waiting.empty()};
  screen::LiveRegion& region = out.region;
  if (free > 3) {
    const std::size_t room = std::min(most_waiting, (free - 3) / 2 + 1);
    const std::size_t left_out = layout::left_of(parts.waiting.size(), room);
    if (left_out > 0)
      region.rows.push_back(
          {"  … " + std::to_string(left_out) + " more queued; /queue shows them", style::dim, {}});
    for (std::size_t i = left_out; i < parts.waiting.size(); ++i)
      region.rows.push_back({"  " + parts.waiting[i], style::dim, {}});
  }
  const terminal::LineLayout layout = terminal::around_cursor(
      terminal::lay_out(parts.line.text(), parts.line.cursor(), mark_columns, columns),
      mark_columns, columns, std::max<std::size_t>(1, free / 2));
  region.caret = {region.rows.size() + layout.caret.row, layout.caret.column};
  std::string before(mark);
  for (const std::string& row : terminal::rows_of(layout, mark_columns, columns))
    region.rows.push_back({std::exchange(before, {}) + row, style::plain, {}});
  region.rows.back().aside = layout::sanitized_row(parts.hint);

  if (parts.popup == nullptr) return out;
  const std::size_t most = std::min(most_choices, layout::left_of(free, region.rows.size()));
  std::ranges::move(parts.popup->rows(columns, most), std::back_inserter(region.rows));
  return out;
}

void WaitingLines::steer(edit::Draft line) {
  std::optional<Id> message = steering_.hand_over ? steering_.hand_over(line) : std::optional<Id>{};
  lines_.push_back({std::move(line), message});
}

std::optional<edit::Draft> WaitingLines::delivered(Id message) {
  const auto line = std::ranges::find(lines_, std::optional(message), &Line::steers);
  if (line == lines_.end()) return std::nullopt;
  edit::Draft out = std::move(line->draft);
  lines_.erase(line);
  return out;
}

std::optional<edit::Draft> WaitingLines::take_back(std::size_t number) {
  if (number == 0 || number > lines_.size()) return std::nullopt;
  const auto line = lines_.begin() + static_cast<std::ptrdiff_t>(number - 1);
  if (line->steers && !steering_.take_back(*line->steers)) return std::nullopt;
  edit::Draft out = std::move(line->draft);
  lines_.erase(line);
  return out;
}

std::vector<edit::Draft> WaitingLines::take_all() {
  std::vector<edit::Draft> out;
  for (Line& line : lines_) {
    if (line.steers) steering_.take_back(*line.steers);
    out.push_back(std::move(line.draft));
  }
  lines_.clear();
  return out;
}

std::vector<std::string> WaitingLines::described() const {
  std::vector<std::string> out;
  for (const Line& line : lines_)
    out.push_back("#" + std::to_string(out.size() + 1) +
                  (line.steers ? " steers · " : " queued · ") +
                  layout::sanitized_row(line.draft.text));
  return out;
}

TypeAhead::TypeAhead(Parts parts)
    : parts_(std::move(parts)),
      line_(parts_.history, {}, parts_.complete, parts_.keyboard.keys()),
      chords_(parts_.keyboard.keys(), terminal::KeyContext::turn),
      waiting_(parts_.steering),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      both_(epoll_create1(EPOLL_CLOEXEC)) {
  watch(parts_.keyboard.terminal().in());
  watch(timer_.get());
  set_timer(tick);
}

void TypeAhead::watch(int fd) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(both_.get(), EPOLL_CTL_ADD, fd, &event);
}

void TypeAhead::set_timer(milliseconds after) const {
  itimerspec time{};
  time.it_value.tv_nsec = after.count() * 1'000'000;
  time.it_interval.tv_nsec = tick.count() * 1'000'000;
  timerfd_settime(timer_.get(), 0, &time, nullptr);
}

model::Ports::Input TypeAhead::input() {
  return {.fd = both_.get(), .on_ready = [this] { look(); }};
}

void TypeAhead::look() {
  if (parts_.keyboard.terminal().has_early_input()) take_keys();
  epoll_event events[2];
  const int count = epoll_wait(both_.get(), events, 2, 0);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.fd == timer_.get()) {
      std::uint64_t times = 0;
      static_cast<void>(::read(timer_.get(), &times, sizeof times) > 0);
      while (const auto key = parts_.keyboard.ready()) use(*key);
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
    epoll_ctl(both_.get(), EPOLL_CTL_DEL, parts_.keyboard.terminal().in(), nullptr);
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
    send(true);
  } else if (key.code == Code::up && empty && !waiting_.empty()) {
    take_back(waiting_.size());
  } else if (empty && terminal::typed(key) == "?") {  // no help now: it is text
    line_.line().apply(key);
  } else {
    act(line_.use(key));
  }
}

// What needs the whole terminal waits until the turn is over.
void TypeAhead::act(Action action) {
  if (action == Action::send) send(false);
  if (action == Action::abort) stop();
  if (action == Action::unfold) parts_.screen.expand_last();
  if (action == Action::thinking) parts_.screen.change_thinking();
  if (action == Action::suspend) {
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
    while (waiting_.take_back(waiting_.size())) continue;
    return tell(waiting_.empty() ? "the queue is empty" : "the rest was already sent");
  }
  if (verb == "edit") return take_back(number);
  if (verb == "drop")
    return tell(waiting_.take_back(number) ? "dropped line " + digits
                                           : "there is no line " + digits + " to drop");
  if (!verb.empty()) return tell("usage: /queue, /queue drop N, /queue edit N or /queue clear");
  const std::string lines = listed(waiting_.described(), "\n");
  tell(lines.empty() ? "the queue is empty" : lines);
}

// What is in the line already goes to where the other came from.
void TypeAhead::take_back(std::size_t number) {
  std::optional<edit::Draft> line = waiting_.take_back(number);
  if (!line) return tell("there is no such line, or the model already has it");
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
  const terminal::KeyMap& keys = parts_.keyboard.keys();
  const auto queues = std::ranges::find_if(keys.chords(Action::send), [&](const auto& chord) {
    return keys.find(terminal::KeyContext::turn, chord) != Action::steer;
  });
  const bool can_queue = queues != keys.chords(Action::send).end();
  const std::string steers = keys.first_shown(Action::steer);
  return (can_queue ? terminal::shown(*queues) + " queues" : "") +
         (can_queue && !steers.empty() ? ", " : "") + (steers.empty() ? "" : steers + " steers");
}

edit::Draft TypeAhead::all() {
  if (waiting_.empty()) return draft();
  std::string text = waiting_.text() + edit::whole(draft());
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
