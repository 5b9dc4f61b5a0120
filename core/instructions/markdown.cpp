#include "core/instructions/markdown.h"

#include <algorithm>

#include "core/text/text.h"

namespace skein::instructions {

namespace {

// Knows, line by line, whether one belongs to fenced code.
class Fences {
 public:
  // The fences themselves count as code.
  bool is_code(std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(indent);
    const char mark = line.empty() ? '\0' : line.front();
    const std::size_t run = std::min(line.find_first_not_of(mark), line.size());
    const bool fence = indent < 4 && run >= 3 && (mark == '`' || mark == '~');
    if (length_ == 0) {
      // ```like this``` is a code span.
      if (!fence || (mark == '`' && line.find('`', run) != std::string_view::npos)) return false;
      mark_ = mark;
      length_ = run;
      return true;
    }
    if (fence && mark == mark_ && run >= length_ && trimmed(line.substr(run)).empty()) length_ = 0;
    return true;
  }

 private:
  char mark_ = '\0';
  std::size_t length_ = 0;  // of the fence that is open; 0: none is
};

constexpr std::string_view comment_begin = "<!--", comment_end = "-->";

bool begins_comment(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  return indent < 4 && line.substr(indent).starts_with(comment_begin);
}

// `line` with its code spans blanked.
std::string without_code(std::string_view line) {
  std::string out(line);
  for (std::size_t at = 0; (at = line.find('`', at)) != std::string_view::npos;) {
    const std::size_t run = std::min(line.find_first_not_of('`', at), line.size()) - at;
    std::size_t end = at + run;
    while ((end = line.find('`', end)) != std::string_view::npos) {
      const std::size_t other = std::min(line.find_first_not_of('`', end), line.size()) - end;
      if (other == run) break;
      end += other;
    }
    if (end != std::string_view::npos)
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(at),
                out.begin() + static_cast<std::ptrdiff_t>(end + run), ' ');
    at = end == std::string_view::npos ? at + run : end + run;
  }
  return out;
}

}  // namespace

std::string without_comments(std::string_view text) {
  std::string out;
  Fences fences;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, std::min(end + 1, text.size()));
    if (fences.is_code(text.substr(0, end)) || !begins_comment(line)) {
      out += line;
      text.remove_prefix(line.size());
      continue;
    }
    const std::size_t close = text.find(comment_end, text.find(comment_begin) + 2);
    if (close == std::string_view::npos) break;
    text.remove_prefix(close + comment_end.size());
    // What follows on the line is said; an empty rest is no line.
    if (const std::size_t rest = std::min(text.find('\n'), text.size());
        trimmed(text.substr(0, rest)).empty())
      text.remove_prefix(std::min(rest + 1, text.size()));
  }
  return out;
}

std::vector<std::string> mentions_in(std::string_view text) {
  std::vector<std::string> out;
  Fences fences;
  for (const std::string_view line : split(text, '\n')) {
    if (fences.is_code(line) || line.find('@') == std::string_view::npos) continue;
    const std::string plain = without_code(line);
    for (std::size_t at = 0; (at = plain.find('@', at)) != std::string::npos; ++at) {
      if (at > 0 && plain[at - 1] != ' ' && plain[at - 1] != '\t') continue;
      const std::size_t end = std::min(plain.find_first_of(" \t\r", at), plain.size());
      std::string_view name = std::string_view(plain).substr(at + 1, end - at - 1);
      while (!name.empty() && std::string_view(".,;:!?)]}\"'").find(name.back()) < 11)
        name.remove_suffix(1);
      if (!name.empty() && std::ranges::find(out, name) == out.end()) out.emplace_back(name);
    }
  }
  return out;
}

}  // namespace skein::instructions
