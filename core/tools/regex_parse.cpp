#include "core/tools/regex_parse.h"

#include <algorithm>
#include <array>

namespace skein {

namespace {

using Kind = Regex::Step::Kind;
constexpr std::size_t most_steps = 20'000;
constexpr int deepest = 100;
constexpr char32_t last_char = 0x10FFFF;

struct NamedClass {
  char name;
  std::vector<Regex::Range> ranges;
};
const std::array<NamedClass, 3>& named_classes() {
  static const std::array<NamedClass, 3> classes{{
      {'d', {{'0', '9'}}},
      {'w', {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
      {'s', {{'\t', '\r'}, {' ', ' '}, {0xA0, 0xA0}, {0x2000, 0x200A}, {0x3000, 0x3000}}},
  }};
  return classes;
}

struct PosixClass {
  std::string_view name;
  std::string_view ranges;  // pairs
};
constexpr std::array posix_classes{
    PosixClass{"alpha", "AZaz"},   PosixClass{"digit", "09"},      PosixClass{"alnum", "09AZaz"},
    PosixClass{"upper", "AZ"},     PosixClass{"lower", "az"},      PosixClass{"space", "\t\r  "},
    PosixClass{"blank", "\t\t  "}, PosixClass{"xdigit", "09AFaf"}, PosixClass{"punct", "!/:@[`{~"},
};

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&](char32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F));
  } else {
    byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F));
  }
  byte(0x80 | (c & 0x3F));
}

// A set of everything outside `ranges`.
std::vector<Regex::Range> complement(std::vector<Regex::Range> ranges) {
  std::ranges::sort(ranges, {}, &Regex::Range::low);
  std::vector<Regex::Range> rest;
  char32_t next = 0;
  for (const auto& range : ranges) {
    if (range.low > next) rest.push_back({next, range.low - 1});
    next = std::max<char32_t>(next, range.high + 1);
  }
  rest.push_back({next, last_char});
  return rest;
}

// The longest run of single characters that every way through the program passes: those that no
// edge leads past. Edges backwards cannot.
std::string required_literal(const std::vector<Regex::Step>& steps,
                             const std::vector<Regex::Set>& sets) {
  std::string longest, run;
  std::uint32_t reach = 0;  // how far the edges of the steps before this one lead
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const Regex::Step& step = steps[i];
    const bool one_char = step.kind == Kind::set && !sets[step.a].negated &&
                          sets[step.a].ranges.size() == 1 &&
                          sets[step.a].ranges[0].low == sets[step.a].ranges[0].high;
    if (one_char && reach <= i)
      append_utf8(run, sets[step.a].ranges[0].low);
    else
      run.clear();
    if (run.size() > longest.size()) longest = run;
    if (step.kind == Kind::split || step.kind == Kind::jump) reach = std::max(reach, step.a);
    if (step.kind == Kind::split) reach = std::max(reach, step.b);
  }
  return longest;
}

std::uint32_t ahead(std::size_t distance) { return static_cast<std::uint32_t>(distance); }

}  // namespace

RegexParser::RegexParser(std::string_view pattern, Regex::Case letter_case) : rest_(pattern) {
  regex_.ignore_case_ = letter_case == Regex::Case::ignored;
}

RegexParser::Steps RegexParser::fail(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
  return {};
}

bool RegexParser::accept(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

char32_t RegexParser::take() {
  const auto lead = static_cast<unsigned char>(rest_[0]);
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  char32_t c = size == 1 ? lead : lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < std::min(size, rest_.size()); ++i)
    c = c << 6 | (static_cast<unsigned char>(rest_[i]) & 0x3Fu);
  rest_.remove_prefix(std::min(size, rest_.size()));
  return c;
}

std::variant<Regex, std::string> RegexParser::parse() {
  if (accept("(?i)")) regex_.ignore_case_ = true;
  Steps steps = alternatives();
  if (problem_.empty() && !rest_.empty()) problem_ = "a `)` closes nothing";
  if (!problem_.empty()) return "the pattern cannot be used: " + problem_;
  steps.push_back({Kind::match});
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    Regex::Step& step = steps[i];
    if (step.kind != Kind::split && step.kind != Kind::jump) continue;
    step.a += i;  // distances wrap around: backwards is a large number
    step.b += i;
  }
  if (!regex_.ignore_case_) regex_.required_ = required_literal(steps, regex_.sets_);
  regex_.steps_ = std::move(steps);
  return std::move(regex_);
}

RegexParser::Steps RegexParser::alternatives() {
  if (++depth_ > deepest) return fail("too many groups inside each other");
  Steps left = sequence();
  while (problem_.empty() && accept("|")) {
    const Steps right = sequence();
    Steps both{{Kind::split, 1, ahead(left.size() + 2)}};
    both.insert(both.end(), left.begin(), left.end());
    both.push_back({Kind::jump, ahead(right.size() + 1)});
    both.insert(both.end(), right.begin(), right.end());
    left = std::move(both);
  }
  --depth_;
  return left;
}

RegexParser::Steps RegexParser::sequence() {
  Steps all;
  while (!at_end() && rest_[0] != '|' && rest_[0] != ')') {
    const Steps piece = repeated();
    all.insert(all.end(), piece.begin(), piece.end());
    if (all.size() > most_steps) return fail("it is too large");
  }
  return all;
}

bool RegexParser::counts(int& least, int& most) {
  const std::string_view before = rest_;
  const auto number = [&](int& value) {
    const bool any = !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9';
    for (value = 0; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; rest_.remove_prefix(1))
      value = std::min(100'000, value * 10 + (rest_[0] - '0'));
    return any;
  };
  if (accept("{") && number(least)) {
    most = least;
    if (accept(",") && !number(most)) most = -1;
    if (accept("}")) return true;
  }
  rest_ = before;  // "{" as itself, as in `if (x) {`
  return false;
}

RegexParser::Steps RegexParser::repeated() {
  Steps piece = atom();
  while (!at_end()) {
    int least = 0, most = -1;
    if (accept("*")) {
    } else if (accept("+")) {
      least = 1;
    } else if (accept("?")) {
      most = 1;
    } else if (rest_[0] != '{' || !counts(least, most)) {
      break;
    }
    accept("?");  // lazy or not, the same lines match
    if (most >= 0 && most < least) return fail("a repeat `{m,n}` with m > n");
    piece = repeat(piece, least, most);
  }
  return piece;
}

RegexParser::Steps RegexParser::repeat(const Steps& piece, int least, int most) {
  const auto copies = static_cast<std::size_t>(std::max(least, most) + 1);
  if ((piece.size() + 2) * copies > most_steps) return fail("a repeat makes it too large");
  Steps all;
  const auto append = [&] { all.insert(all.end(), piece.begin(), piece.end()); };
  for (int i = 0; i < least; ++i) append();
  if (most < 0) {
    all.push_back({Kind::split, 1, ahead(piece.size() + 2)});
    append();
    all.push_back({Kind::jump, 0u - ahead(piece.size() + 1)});
  }
  for (int i = least; i < most; ++i) {
    all.push_back({Kind::split, 1, ahead(piece.size() + 1)});
    append();
  }
  return all;
}

RegexParser::Steps RegexParser::one_of(Regex::Set set) {
  const auto found = std::ranges::find_if(regex_.sets_, [&](const Regex::Set& known) {
    return known.ranges == set.ranges && known.negated == set.negated;
  });
  const auto index = static_cast<std::uint32_t>(found - regex_.sets_.begin());
  if (found == regex_.sets_.end()) regex_.sets_.push_back(std::move(set));
  return {{Kind::set, index}};
}

RegexParser::Steps RegexParser::character(char32_t c) { return one_of({{{c, c}}}); }

RegexParser::Steps RegexParser::atom() {
  if (accept("\\")) return escape();
  if (accept("(")) {
    if (!accept("?:") && rest_.starts_with("?"))
      return fail("look-around, named groups and flags are not supported");
    Steps group = alternatives();
    if (problem_.empty() && !accept(")")) return fail("a `(` is not closed");
    return group;
  }
  if (rest_[0] == '*' || rest_[0] == '+' || rest_[0] == '?')
    return fail("`" + std::string(1, rest_[0]) + "` repeats nothing");
  const bool set = accept("[");
  if (!set && rest_[0] != '.' && rest_[0] != '^' && rest_[0] != '$') return character(take());
  if (set) return one_of(bracket());
  if (accept(".")) return one_of({{{0, last_char}}});
  if (accept("^")) return {{Kind::line_start}};
  rest_.remove_prefix(1);
  return {{Kind::line_end}};
}

bool RegexParser::escaped_class(char c, Regex::Set& set) const {
  for (const NamedClass& each : named_classes()) {
    if ((c | 32) != each.name) continue;
    const auto ranges = c == each.name ? each.ranges : complement(each.ranges);
    set.ranges.insert(set.ranges.end(), ranges.begin(), ranges.end());
    return true;
  }
  return false;
}

RegexParser::Steps RegexParser::escape() {
  if (rest_.empty()) return fail("it ends in a `\\`");
  const char c = rest_[0];
  Regex::Set set;
  if (c == 'b' || c == 'B' || escaped_class(c, set)) {
    rest_.remove_prefix(1);
    if (!set.ranges.empty()) return one_of(std::move(set));
    return {{c == 'b' ? Kind::boundary : Kind::no_boundary}};
  }
  if (c >= '1' && c <= '9') return fail("back references are not supported");
  return character(escaped_char());
}

char32_t RegexParser::escaped_char() {
  constexpr std::string_view letters = "tnrfva0", values{"\t\n\r\f\v\a\0", 7};
  const char32_t c = take();
  if (const std::size_t at = letters.find(static_cast<char>(c));
      c < 0x80 && at != std::string_view::npos)
    return static_cast<unsigned char>(values[at]);
  if (c != 'x' && c != 'u') {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) fail("`\\" + std::string(1, static_cast<char>(c)) + "` means nothing here");
    return c;
  }
  const bool braces = accept("{");
  char32_t value = 0;
  std::size_t digits = braces ? 6 : c == 'x' ? 2 : 4;
  for (; digits > 0 && !rest_.empty() && rest_[0] != '}'; --digits) {
    const std::size_t digit =
        std::string_view("0123456789abcdef").find(static_cast<char>(rest_[0] | 32));
    const bool decimal = rest_[0] >= '0' && rest_[0] <= '9';
    if (!decimal && digit == std::string_view::npos) break;
    value = value * 16 + static_cast<char32_t>(decimal ? rest_[0] - '0' : static_cast<int>(digit));
    rest_.remove_prefix(1);
  }
  if ((braces && !accept("}")) || (!braces && digits > 0) || value > last_char)
    fail("a character number is not complete");
  return value;
}

Regex::Set RegexParser::bracket() {
  Regex::Set set;
  set.negated = accept("^");
  for (bool first = true; !at_end(); first = false) {
    if (rest_[0] == ']' && !first) {
      rest_.remove_prefix(1);
      return set;
    }
    if (rest_.starts_with("[:")) {
      const std::size_t end = rest_.find(":]");
      const auto named = std::ranges::find(
          posix_classes, rest_.substr(2, end == std::string_view::npos ? 0 : end - 2),
          &PosixClass::name);
      if (named == posix_classes.end()) {
        fail("an unknown [:class:]");
        return set;
      }
      for (std::size_t i = 0; i < named->ranges.size(); i += 2)
        set.ranges.push_back(
            {static_cast<char32_t>(named->ranges[i]), static_cast<char32_t>(named->ranges[i + 1])});
      rest_.remove_prefix(end + 2);
      continue;
    }
    const auto one = [&] { return accept("\\") && !rest_.empty() ? escaped_char() : take(); };
    if (rest_.size() > 1 && rest_[0] == '\\' && escaped_class(rest_[1], set)) {
      rest_.remove_prefix(2);
      continue;
    }
    const char32_t low = one();
    char32_t high = low;
    if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
      rest_.remove_prefix(1);
      high = one();
    }
    if (high < low) fail("a range that runs backwards");
    set.ranges.push_back({low, high});
  }
  fail("a `[` is not closed");
  return set;
}

}  // namespace skein
