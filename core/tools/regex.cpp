#include "core/tools/regex.h"

#include <algorithm>

#include "core/tools/regex_parse.h"

namespace skein {

namespace {

// The next character and how many bytes it takes. What is not UTF-8 counts as U+FFFD, a byte each.
char32_t next_char(std::string_view text, std::size_t& length) {
  const auto lead = static_cast<unsigned char>(text[0]);
  length = 1;
  if (lead < 0x80) return lead;
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (size == 0 || text.size() < size) return 0xFFFD;
  char32_t c = lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return 0xFFFD;
    c = c << 6 | (byte & 0x3Fu);
  }
  length = size;
  return c;
}

bool is_word(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

char32_t lower(char32_t c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
char32_t upper(char32_t c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }

// The steps that are alive at one position of the text.
class Threads {
 public:
  explicit Threads(std::size_t steps) : seen_(steps, 0) {}
  void clear() {
    alive_.clear();
    ++round_;
  }
  bool add(std::uint32_t step) {
    if (seen_[step] == round_) return false;
    seen_[step] = round_;
    return true;
  }
  std::vector<std::uint32_t> alive_{};

 private:
  std::vector<std::uint32_t> seen_;
  std::uint32_t round_ = 1;
};

}  // namespace

bool Regex::Set::holds(char32_t c) const {
  const bool inside = std::ranges::any_of(
      ranges, [&](const Range& range) { return range.low <= c && c <= range.high; });
  return inside != negated;
}

std::variant<Regex, std::string> Regex::compile(std::string_view pattern, Case letter_case) {
  return RegexParser(pattern, letter_case).parse();
}

bool Regex::found_in(std::string_view line, const std::function<bool()>& give_up) const {
  Threads now(steps_.size()), next(steps_.size());
  std::vector<std::uint32_t> stack;
  bool matched = false;
  char32_t before = 0, here = 0;
  std::size_t at = 0;
  // Follows everything that takes no character; an explicit stack, for patterns of any depth.
  const auto follow = [&](Threads& threads, std::uint32_t first) {
    const bool start = at == 0, end = at == line.size();
    const bool boundary = (!start && is_word(before)) != (!end && is_word(here));
    stack.assign(1, first);
    while (!stack.empty()) {
      const std::uint32_t index = stack.back();
      stack.pop_back();
      if (!threads.add(index)) continue;
      const Step& step = steps_[index];
      switch (step.kind) {
        case Step::Kind::set: threads.alive_.push_back(index); break;
        case Step::Kind::split: stack.push_back(step.b); [[fallthrough]];
        case Step::Kind::jump: stack.push_back(step.a); break;
        case Step::Kind::line_start:
          if (start) stack.push_back(index + 1);
          break;
        case Step::Kind::line_end:
          if (end) stack.push_back(index + 1);
          break;
        case Step::Kind::boundary:
          if (boundary) stack.push_back(index + 1);
          break;
        case Step::Kind::no_boundary:
          if (!boundary) stack.push_back(index + 1);
          break;
        case Step::Kind::match: matched = true; return;
      }
    }
  };

  std::vector<std::uint32_t> arrived;
  for (std::size_t characters = 1;; ++characters) {
    if (characters % 1024 == 0 && give_up && give_up()) return false;
    std::size_t length = 0;
    if (at < line.size()) here = next_char(line.substr(at), length);
    now.clear();
    for (const std::uint32_t step : arrived) follow(now, step);
    if (!matched) follow(now, 0);  // a match may begin anywhere
    if (matched || at == line.size()) return matched;
    arrived.clear();
    for (const std::uint32_t index : now.alive_) {
      const Set& set = sets_[steps_[index].a];
      const bool holds = ignore_case_ && here < 0x80 && !set.negated
                             ? set.holds(lower(here)) || set.holds(upper(here))
                         : ignore_case_ && here < 0x80
                             ? set.holds(lower(here)) && set.holds(upper(here))
                             : set.holds(here);
      if (holds) arrived.push_back(index + 1);
    }
    before = here;
    at += length;
  }
}

}  // namespace skein
