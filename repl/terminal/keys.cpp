#include "repl/terminal/keys.h"

#include "core/text/std.h"

#include "core/text/text.h"
#include "core/text/utf8.h"

namespace skein::terminal {

namespace {

using Code = Key::Code;

constexpr std::string_view paste_end = "\x1b[201~";
constexpr std::string_view background_start = "\x1b]11;";
constexpr std::size_t longest_sequence = 64;     // a key is never this long
constexpr std::size_t longest_string = 1 << 16;  // an answer of the terminal

Key function_key(int number) {
  return {.code = Code::function, .point = static_cast<char32_t>(number)};
}

// By the letter at the end of a sequence.
Key key_of(char final) {
  if (final >= 'P' && final <= 'S') return function_key(final - 'P' + 1);
  constexpr std::string_view letters = "ABCDHFMZ";
  constexpr Code codes[] = {Code::up,   Code::down, Code::right, Code::left,
                            Code::home, Code::end,  Code::enter, Code::tab};
  const std::size_t at = letters.find(final);
  return key(at < letters.size() ? codes[at] : Code::unknown);
}

// By the number before a final ~.
Key key_of(int number) {
  constexpr Code codes[] = {Code::unknown, Code::home,      Code::insert, Code::del, Code::end,
                            Code::page_up, Code::page_down, Code::home,   Code::end};
  // 11 to 24, with gaps where keyboards once had them
  constexpr int functions[] = {11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24};
  const auto* const found = std::ranges::find(functions, number);
  if (found != std::end(functions)) return function_key(static_cast<int>(found - functions) + 1);
  return key(number > 0 && number < std::ssize(codes) ? codes[number] : Code::unknown);
}

// "1;5" → {1, 5}; sub-parameters after ':' are passed over.
std::vector<int> numbers_in(std::string_view text) {
  std::vector<int> out;
  for (const std::string_view part : split(text, ';'))
    std::from_chars(part.data(), part.data() + part.size(), out.emplace_back());
  return out;
}

// A single byte below space, or DEL.
Key control_key(unsigned char byte) {
  switch (byte) {
    case '\r': return key(Code::enter);
    case '\t': return key(Code::tab);
    case 0x1B: return key(Code::escape);
    case 0x08:
    case 0x7F: return key(Code::backspace);
    case 0x00: return ctrl(' ');
    default: return ctrl(static_cast<char>(byte < 0x1B ? byte + 'a' - 1 : byte + '@'));
  }
}

// A key reported by number, as in extended keyboard protocols.
Key numbered_key(int point) {
  if (point <= 0 || point > 0x10FFFF) return {};
  if (point < 0x20 || point == 0x7F) return control_key(static_cast<unsigned char>(point));
  return character(static_cast<char32_t>(point));
}

}  // namespace

Key normalized(Key key) {
  if (key.code != Code::character) return key;
  const bool small = key.point >= 'a' && key.point <= 'z';
  const bool capital = key.point >= 'A' && key.point <= 'Z';
  if (key.ctrl && capital) key.point += 'a' - 'A';
  if (!key.ctrl && key.alt && key.shift && small) key.point -= 'a' - 'A';
  if (!key.ctrl) key.shift = false;  // the character says it
  if (!key.ctrl || key.alt) return key;
  // Where a terminal names the keys that were held, undo is no longer a single byte.
  if (key.point == '/' || key.point == '_' || (key.shift && key.point == '-')) return ctrl('_');
  if (key.point == '@') return ctrl(' ');
  if (key.shift) return key;
  constexpr std::string_view bytes = "imh[";  // as Tab, Enter, Backspace and Esc
  if (key.point < 0x80 && bytes.find(static_cast<char>(key.point)) != std::string_view::npos)
    return control_key(static_cast<unsigned char>(key.point & 0x1F));
  return key;
}

std::string typed(const Key& key) {
  if (key.code != Code::character || key.ctrl || key.alt) return {};
  std::string out;
  append_utf8(out, key.point);
  return out;
}

bool is_letter(const Key& key, char letter) {
  const std::string text = typed(key);
  return text.size() == 1 && (text[0] | 0x20) == letter;
}

bool leaves(const Key& pressed) {
  return is_letter(pressed, 'q') || pressed == key(Code::escape) || pressed == ctrl('c') ||
         pressed == ctrl('d');
}

std::optional<Key> KeyDecoder::take(std::size_t bytes, Key key) {
  bytes_.erase(0, bytes);
  return key;
}

std::optional<Key> KeyDecoder::next() {
  if (bytes_.empty()) return std::nullopt;
  if (pasting_) return paste();
  const auto first = static_cast<unsigned char>(bytes_[0]);
  if (first == 0x1B) return escape_sequence();
  if (first < 0x20 || first == 0x7F) return take(1, control_key(first));
  const Utf8Character next = first_character(bytes_);
  if (next.cut) return std::nullopt;  // the rest has not arrived yet
  return take(next.length, character(next.good ? next.point : 0xFFFD));
}

std::optional<Key> KeyDecoder::flush() {
  if (std::optional<Key> whole = next(); whole || !waiting()) return whole;
  // Begins with Esc and ends there: Esc alone, Alt with a key, or a sequence cut short.
  if (bytes_ == "\x1b" || bytes_ == "\x1b\x1b") return take(1, key(Code::escape));
  if (bytes_.size() == 2 && bytes_[0] == '\x1b') return take(2, alt(bytes_[1]));
  return take(bytes_.size(), {});
}

std::optional<Key> KeyDecoder::paste() {
  const std::size_t end = bytes_.find(paste_end);
  if (end == std::string::npos) return std::nullopt;
  Key out = key(Code::paste);
  out.text = bytes_.substr(0, end);
  pasting_ = false;
  return take(end + paste_end.size(), std::move(out));
}

std::optional<Key> KeyDecoder::escape_sequence() {
  std::size_t start = 1;
  const bool twice = bytes_.size() > 1 && bytes_[1] == '\x1b';  // Alt with an arrow, or Esc Esc
  if (twice) ++start;
  if (bytes_.size() == start) return std::nullopt;
  const char second = bytes_[start];
  if (second == '[') return control_sequence(start + 1, twice);
  if (second == 'O') {
    if (bytes_.size() == start + 1) return std::nullopt;
    Key out = key_of(bytes_[start + 1]);
    out.alt = twice;
    return take(start + 2, std::move(out));
  }
  if (twice) return take(1, key(Code::escape));
  if (in_background()) return background();
  if (second == ']' || second == 'P' || second == '_' || second == '^' || second == 'X')
    return device_string(start + 1);
  const auto byte = static_cast<unsigned char>(second);
  // Esc followed immediately by a key that leaves is not Alt.
  constexpr unsigned char ctrl_c = 3, ctrl_d = 4;
  if (byte >= 0x80 || byte == ctrl_c || byte == ctrl_d) return take(1, key(Code::escape));
  Key out = byte < 0x20 || byte == 0x7F ? control_key(byte) : character(byte);
  out.alt = true;
  return take(start + 1, std::move(out));
}

std::optional<Key> KeyDecoder::control_sequence(std::size_t start, bool alt) {
  std::size_t end = start;
  while (end < bytes_.size() && bytes_[end] >= 0x20 && bytes_[end] < 0x40) ++end;
  if (end - start > longest_sequence) return take(end, {});
  if (end == bytes_.size()) return std::nullopt;
  const char last = bytes_[end];
  // A sequence ends with a letter or sign; any other byte interrupts it and is a separate key.
  if (last < 0x40 || last > 0x7E) return take(end, {});
  const std::string_view parameters = std::string_view(bytes_).substr(start, end - start);
  if (last == 'M' && parameters.empty()) {  // an old mouse report: three bytes follow
    if (bytes_.size() < end + 4) return std::nullopt;
    return take(end + 4, {});
  }
  if (parameters.empty() && (last == 'I' || last == 'O')) {
    if (alt) return take(1, key(Code::escape));
    in_front_ = last == 'I';
    bytes_.erase(0, end + 1);
    return next();
  }
  const bool ours = parameters.empty() || (parameters[0] >= '0' && parameters[0] <= '9');
  if (!ours || last == 'M') {  // a report, not a key
    Key report{.code = Code::report, .point = static_cast<unsigned char>(last)};
    report.text = parameters;
    return take(end + 1, std::move(report));
  }
  const std::vector<int> numbers = numbers_in(parameters);
  if (last == 'R' && !numbers.empty() && numbers[0] != 1)  // where the cursor is, not F3
    return take(end + 1, {});
  const auto number = [&](std::size_t i) { return i < numbers.size() ? numbers[i] : 0; };

  Key out;
  if (last == '~' && number(0) == 200) {
    bytes_.erase(0, end + 1);
    pasting_ = true;
    return next();
  }
  if (last == '~' && number(0) == 27 && numbers.size() == 3)
    out = numbered_key(number(2));
  else if (last == '~')
    out = key_of(number(0));
  else if (last == 'u')
    out = numbered_key(number(0));
  else
    out = key_of(last);
  // xterm's modifiers: 1 + shift + 2 alt + 4 ctrl.
  const int bits = std::max(number(1), 1) - 1;
  out.shift = out.shift || last == 'Z' || (bits & 1) != 0;
  out.alt = alt || (bits & 2) != 0;
  out.ctrl = out.ctrl || (bits & 4) != 0;
  return take(end + 1, normalized(std::move(out)));
}

// A terminal's answer to a query (never ours): up to BEL or ST.
std::optional<Key> KeyDecoder::device_string(std::size_t start) {
  const std::size_t bell = bytes_.find('\x07', start), st = bytes_.find("\x1b\\", start);
  const std::size_t end = std::min(bell, st);
  if (end != std::string::npos) return take(end + (end == bell ? 1 : 2), {});
  if (bytes_.size() > longest_string) return take(bytes_.size(), {});
  return std::nullopt;
}

// Its first byte that a lone Esc or Alt+] does not begin with has arrived.
bool KeyDecoder::in_background() const {
  return bytes_.size() > 2 &&
         background_start.starts_with(bytes_.substr(0, background_start.size()));
}

// The terminal's answer about its background. It has no spaces and is short, so keys that follow an
// answer cut short are soon keys again.
std::optional<Key> KeyDecoder::background() {
  const std::size_t start = background_start.size();
  std::size_t end = std::min(start, bytes_.size());
  while (end < bytes_.size() && bytes_[end] > ' ' && bytes_[end] < 0x7F) ++end;
  if (end > start + longest_sequence) return take(start + longest_sequence, {});
  const bool escape = end < bytes_.size() && bytes_[end] == '\x1b';
  if (end == bytes_.size() || (escape && end + 1 == bytes_.size())) return std::nullopt;
  const std::size_t mark = bytes_[end] == '\x07' ? 1 : escape && bytes_[end + 1] == '\\' ? 2 : 0;
  if (mark == 0) return take(end, {});
  Key report{.code = Code::report, .point = ']'};
  report.text = bytes_.substr(start, end - start);
  return take(end + mark, std::move(report));
}

}  // namespace skein::terminal
