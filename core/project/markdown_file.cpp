#include "core/project/markdown_file.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include "core/text/base.h"
#include "core/text/small_file.h"
#include "core/text/text.h"

namespace skein::project {

std::string in_one_line(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(text, '\n'))
    if (const std::string_view words = trimmed(line); !words.empty())
      out += (out.empty() ? "" : " ") + std::string(words);
  return out;
}

MarkdownFile read_markdown(const std::string& path) {
  std::optional<std::string> bytes = file_text(path, markdown_limit);
  if (!bytes)
    return {.refusal = errno == EFBIG                        ? "it is larger than 1 MiB"
                       : errno == ENOTSUP || errno == EISDIR ? "it is no file"
                                                             : std::strerror(errno)};
  MarkdownFile file{.text = std::move(*bytes)};
  file.front = read_front_matter(file.text);
  if (const auto& fault = file.front.fault)
    file.refusal = "line " + std::to_string(fault->line) + ": " + fault->reason;
  return file;
}

std::string MarkdownFile::first_paragraph() const {
  std::string out;
  bool in_fence = false;
  for (const std::string_view raw : split(body(), '\n')) {
    const std::string_view line = trimmed(raw);
    if (line.starts_with("```")) in_fence = !in_fence;
    const bool words = !line.empty() && !in_fence && !line.starts_with('#') &&
                       !line.starts_with("```") && !line.starts_with("<!--");
    if (words)
      out += (out.empty() ? "" : " ") + std::string(line);
    else if (!out.empty())
      break;
  }
  return valid_utf8(out);
}

}  // namespace skein::project
