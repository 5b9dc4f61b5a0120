#include "repl/screen/markdown/code_blocks.h"

#include <algorithm>

#include "core/text/text.h"
#include "repl/screen/markdown/line.h"

namespace skein::screen::markdown {

namespace {

std::string_view without_indent(std::string_view line, std::size_t columns) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  return line.substr(std::min(indent, columns));
}

}  // namespace

std::vector<std::string> code_blocks(std::string_view text) {
  std::vector<std::string> out;
  std::optional<MarkdownLine> fence;
  bool in_list = false;
  for (std::string_view line : split(text, '\n')) {
    if (fence) {
      strip_quotes(line, fence->quotes);
      if (closes(line, *fence))
        fence.reset();
      else
        out.back() += std::string(without_indent(line, fence->margin)) + "\n";
      continue;
    }
    const std::optional<MarkdownLine> read = read_markdown_line(line, true, in_list, {});
    if (!read) continue;
    in_list =
        read->item || (in_list && (read->kind == MarkdownLine::Kind::blank || read->margin > 0));
    if (read->kind == MarkdownLine::Kind::fence) {
      fence = read;
      out.emplace_back();
    }
  }
  return out;
}

}  // namespace skein::screen::markdown
