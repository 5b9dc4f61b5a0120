#include "repl/edit/draft.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/model/attachments.h"
#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::edit {

namespace {

constexpr std::size_t most_lines = 5, most_bytes = 800;

std::size_t lines_in(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return ends + (text.ends_with('\n') ? 0 : 1);
}

// A path as terminals quote it: 'in quotes', with\ backslashes, or as file:///a%20url.
std::string unquoted(std::string_view text) {
  constexpr std::string_view scheme = "file://";
  std::string out;
  if (text.starts_with(scheme)) {
    for (text.remove_prefix(scheme.size()); !text.empty(); text.remove_prefix(1)) {
      unsigned byte = 0;
      const bool coded =
          text.size() > 2 && text[0] == '%' &&
          std::from_chars(text.data() + 1, text.data() + 3, byte, 16).ptr == text.data() + 3;
      out += coded ? static_cast<char>(byte) : text[0];
      if (coded) text.remove_prefix(2);
    }
    return out;
  }
  for (const char quote : {'\'', '"'})
    if (text.size() > 2 && text.front() == quote && text.back() == quote)
      return std::string(text.substr(1, text.size() - 2));
  for (; !text.empty(); text.remove_prefix(1)) {
    if (text[0] == '\\' && text.size() > 1) text.remove_prefix(1);
    out += text[0];
  }
  return out;
}

bool has_image_suffix(std::string_view path) {
  constexpr std::string_view suffixes[] = {".png", ".jpg", ".jpeg", ".gif", ".webp"};
  return std::ranges::any_of(suffixes,
                             [&](std::string_view each) { return lower(path).ends_with(each); });
}

std::string chip(const std::string& text, std::size_t number) {
  const std::size_t lines = lines_in(text);
  return "[Pasted text #" + std::to_string(number) +
         (lines > 1 ? " +" + std::to_string(lines) + " lines]"
                    : ", " + std::to_string(text.size()) + " bytes]");
}

}  // namespace

std::string pasted_text(std::string_view raw) {
  std::string out;
  const std::string text = valid_utf8(raw);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r') {
      out += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else if (c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20) {
      if (c != 0x7F) out += c;
    }
  }
  return out;
}

std::optional<std::string> dropped_image(std::string_view text) {
  while (text.ends_with(' ') || text.ends_with('\n')) text.remove_suffix(1);
  std::string path = unquoted(text);
  if (!path.starts_with('/') || !has_image_suffix(path)) return std::nullopt;
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return std::nullopt;
  return model::mention(path) + " ";
}

bool deserves_chip(std::string_view text) {
  return text.size() > most_bytes || lines_in(text) > most_lines;
}

bool mentions_something(std::string_view text) {
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1))
    if (at == 0 || std::string_view(" \t\n").find(text[at - 1]) != std::string_view::npos)
      return true;
  return false;
}

std::string make_chip(Draft& draft, std::string text) {
  draft.pasted.push_back(std::move(text));
  return chip(draft.pasted.back(), draft.pasted.size());
}

std::size_t chip_before(const Draft& draft, std::size_t at) {
  const std::string_view before = std::string_view(draft.text).substr(0, at);
  for (std::size_t i = 0; i < draft.pasted.size(); ++i)
    if (const std::string mark = chip(draft.pasted[i], i + 1); before.ends_with(mark))
      return mark.size();
  return 0;
}

std::size_t chip_after(const Draft& draft, std::size_t at) {
  const std::string_view after = std::string_view(draft.text).substr(at);
  for (std::size_t i = 0; i < draft.pasted.size(); ++i)
    if (const std::string mark = chip(draft.pasted[i], i + 1); after.starts_with(mark))
      return mark.size();
  return 0;
}

// Chips are expanded only in the line, never inside the text of another chip.
std::string whole(const Draft& draft) {
  std::string out;
  for (std::size_t at = 0; at < draft.text.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < draft.pasted.size() && length == 0; ++i)
      if (const std::string mark = chip(draft.pasted[i], i + 1);
          draft.text.compare(at, mark.size(), mark) == 0) {
        length = mark.size();
        out += draft.pasted[i];
      }
    if (length == 0) {
      out += draft.text[at];
      length = 1;
    }
    at += length;
  }
  return out;
}

}  // namespace skein::edit
