#include "app/verbs/output.h"

#include <iostream>

#include "app/setup/home.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::verbs {

namespace {

constexpr std::int64_t frame_ms = 80;
constexpr std::uint64_t columns = 24;

std::string amount(std::uint64_t count, Progress::Unit unit) {
  if (unit == Progress::Unit::things) return with_separators(count);
  return short_count(static_cast<std::int64_t>(count)) + "B";
}

}  // namespace

OpenedSession open_session(const Invocation& invocation) {
  store::SessionStore store = app::open_store(invocation);
  const Id found = store::value_or_throw(store.find(invocation.arguments.at(0))).header.session;
  store::SessionRecord record = store.open(found);
  return {std::move(store), std::move(record)};
}

std::int64_t since_ms(const Invocation& invocation) {
  if (!invocation.has("--since")) return 0;
  const std::string text = invocation.value("--since");
  if (const auto time = time_ms(text, now_ms())) return *time;
  throw UsageError("'" + text + "' is not a time; write 7d or 2026-11-01");
}

std::string asked(std::string_view question, std::FILE* on) {
  std::fputs(layout::sanitized(question).c_str(), on);
  std::fflush(on);
  std::string answer;
  std::getline(std::cin, answer);
  return lower(trimmed(answer));
}

bool agreed(const std::string& question) { return asked(question + " [y/N] › ").starts_with('y'); }

screen::Screen::Parts screen_parts(const Invocation& invocation) {
  return screen::screen_parts(STDOUT_FILENO, invocation.color.empty() ? "auto" : invocation.color,
                              invocation.screen_reader);
}

void print_json(const JsonText& json) { print_text(printable_json(json) + "\n"); }

void print_line(std::string_view untrusted) { print_text(layout::sanitized(untrusted) + "\n"); }

void print_styled(std::string_view safe) { print_text(std::string(safe) + "\n"); }

void print_text(std::string_view safe) { std::fwrite(safe.data(), 1, safe.size(), stdout); }

void print_answer(const Invocation& invocation, const JsonText& json, std::string_view line) {
  invocation.has("--json") ? print_json(json) : print_line(line);
}

void ListPrinter::add(const JsonText& row, std::string_view line) {
  rows_.push_back(row);
  if (!json_) print_line(line);
}

void ListPrinter::add_failure(const JsonText& row, std::string_view line) {
  rows_.push_back(row);
  if (!json_) tell_user(line);
}

void ListPrinter::end(std::string_view none, std::string_view member) const {
  const JsonText all = "[" + listed(rows_, ",") + "]";
  if (json_)
    print_json(member.empty() ? all : "{" + json_string(member) + ":" + all + "}");
  else if (rows_.empty() && !none.empty())
    print_line(none);
}

std::string pad(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::uint64_t bytes_of(const std::vector<store::SessionRecord>& sessions) {
  return std::accumulate(
      sessions.begin(), sessions.end(), std::uint64_t{0},
      [](std::uint64_t sum, const store::SessionRecord& each) { return sum + each.bytes; });
}

Progress::Progress(std::string doing, std::uint64_t whole, Unit unit)
    : doing_(std::move(doing)),
      whole_(whole),
      unit_(unit),
      shown_(isatty(STDERR_FILENO) == 1),
      drawn_ms_(now_ms()) {}

void Progress::step(std::uint64_t by) {
  done_ += by;
  // What is over at once needs no bar.
  if (const std::int64_t now = now_ms(); shown_ && now - drawn_ms_ >= frame_ms) {
    drawn_ms_ = now;
    draw();
  }
}

void Progress::draw() const {
  const std::uint64_t full = whole_ > 0 ? std::min(columns, done_ * columns / whole_) : 0;
  std::string bar;
  for (std::uint64_t i = 0; i < columns; ++i) bar += i < full ? "━" : "─";
  std::fprintf(stderr, "\r%s %s %s of %s\x1b[K", doing_.c_str(), bar.c_str(),
               amount(done_, unit_).c_str(), amount(whole_, unit_).c_str());
}

void Progress::end() {
  if (shown_ && done_ > 0) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace skein::verbs
