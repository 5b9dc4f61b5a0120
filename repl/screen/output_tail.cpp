#include "repl/screen/output_tail.h"

#include "core/text/base.h"

namespace skein::screen {

namespace {

constexpr std::size_t most_lines = 20, most_bytes = 400;  // of a line: no window is wider

}  // namespace

void OutputTail::feed(std::string_view untrusted) {
  for (const char byte : untrusted) put(byte);
}

void OutputTail::put(char byte) {
  if (sequence_ == Sequence::begun) {
    sequence_ = byte == '[' ? Sequence::control : Sequence::none;
  } else if (sequence_ == Sequence::control) {
    if (byte >= 0x40 && byte <= 0x7E) sequence_ = Sequence::none;
  } else if (byte == '\x1b') {
    sequence_ = Sequence::begun;
  } else if (byte == '\r') {
    returned_ = true;
  } else if (byte == '\n') {
    returned_ = false;
    if (line_.find_first_not_of(" \t") != std::string::npos) lines_.push_back(line_);
    if (lines_.size() > most_lines) lines_.erase(lines_.begin());
    line_.clear();
  } else {
    if (returned_) line_.clear();
    returned_ = false;
    if (line_.size() < most_bytes) line_ += byte;
  }
}

std::vector<std::string> OutputTail::last(std::size_t most) const {
  std::vector<std::string> out = lines_;
  if (line_.find_first_not_of(" \t") != std::string::npos) out.push_back(line_);
  if (out.size() > most) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(most));
  for (std::string& line : out) line = valid_utf8(line);
  return out;
}

}  // namespace skein::screen
