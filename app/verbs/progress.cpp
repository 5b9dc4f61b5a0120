#include "app/verbs/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/text/amounts.h"
#include "core/text/base.h"

namespace skein::verbs {

namespace {

constexpr std::int64_t frame_ms = 80;
constexpr std::uint64_t columns = 24;

std::string amount(std::uint64_t count, Progress::Unit unit) {
  if (unit == Progress::Unit::things) return with_separators(count);
  return short_count(static_cast<std::int64_t>(count)) + "B";
}

}  // namespace

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
