#include "app/completion/bash_line.h"

namespace skein::completion {

BashLine read_bash_line(std::string_view line) {
  BashLine out;
  out.words.emplace_back();
  bool inside = false;  // of a word
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (blank && out.open_quote == 0) {
      if (inside) out.words.emplace_back();
      inside = false;
      out.last_as_typed.clear();
      continue;
    }
    inside = true;
    out.last_as_typed += c;
    std::string& word = out.words.back();
    const bool escapes = c == '\\' && out.open_quote != '\'';
    if (c == out.open_quote) {
      out.open_quote = 0;
    } else if (out.open_quote == 0 && (c == '\'' || c == '"')) {
      out.open_quote = c;
    } else if (escapes && at + 1 < line.size()) {
      const char next = line[++at];
      out.last_as_typed += next;
      if (out.open_quote == '"' && std::string_view("\"\\$`").find(next) == std::string_view::npos)
        word += c;
      word += next;
    } else {
      word += c;
    }
  }
  return out;
}

std::optional<std::string> quoted_for_bash(std::string_view text, char open_quote) {
  constexpr std::string_view harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
  // In double quotes nothing keeps bash from putting an earlier command in its place.
  if (open_quote == '"' && text.find('!') != std::string_view::npos) return std::nullopt;
  std::string out;
  for (const char c : text) {
    if (open_quote == '\'') {
      out += c == '\'' ? "'\\''" : std::string(1, c);
      continue;
    }
    const bool special = open_quote == '"'
                             ? std::string_view("\"\\$`").find(c) != std::string_view::npos
                             : harmless.find(c) == std::string_view::npos && (c & 0x80) == 0;
    if (special) out += '\\';
    out += c;
  }
  return out;
}

std::optional<std::string> part_bash_replaces(const BashLine& line, std::string_view replaced,
                                              const std::string& candidate) {
  // Behind an open quote the whole word is replaced, from the quote on.
  if (line.open_quote != 0 || !std::string_view(line.last_as_typed).ends_with(replaced))
    return candidate;
  const std::string_view kept =
      std::string_view(line.last_as_typed).substr(0, line.last_as_typed.size() - replaced.size());
  if (!candidate.starts_with(kept)) return std::nullopt;
  return candidate.substr(kept.size());
}

}  // namespace skein::completion
