#include "app/manual/markdown_page.h"

#include <string>
#include <vector>

#include "core/text/text.h"

namespace skein::manual {

namespace {

class MarkdownReader {
 public:
  explicit MarkdownReader(Roff& page) : page_(page) {}

  void read(std::string_view document) {
    for (const std::string_view line : split(document, '\n')) take(line);
    finish();
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("```")) {
      if (in_code_)
        page_.code(code_);
      else
        finish();
      code_.clear();
      in_code_ = !in_code_;
    } else if (in_code_) {
      code_ += std::string(line) + "\n";
    } else if (line.starts_with("# ")) {
      page_.heading("description");
    } else if (line.starts_with("## ")) {
      finish();
      page_.heading(line.substr(3));
    } else if (line.starts_with("### ")) {
      finish();
      page_.subheading(line.substr(4));
    } else if (line.starts_with('|')) {
      finish();
      row(line);
    } else if (trimmed(line).empty()) {
      finish();
    } else {
      if (line.starts_with("- ")) {
        finish();
        bullet_ = true;
        line.remove_prefix(2);
      }
      block_ += (block_.empty() ? "" : " ") + std::string(trimmed(line));
    }
    if (!line.starts_with('|')) rows_ = 0;
  }

  // The first row of a table names its columns, the second is a rule; the pages do without both.
  void row(std::string_view line) {
    if (++rows_ <= 2) return;
    const std::vector<std::string_view> cells = split(trimmed(line, "| "), '|');
    std::string text;
    for (std::size_t i = 1; i < cells.size(); ++i)
      text += (text.empty() ? "" : "; ") + std::string(trimmed(cells[i]));
    page_.term(trimmed(cells.front(), " `"), sentence(text));
  }

  void finish() {
    if (block_.empty()) return;
    if (bullet_)
      page_.bullet(block_);
    else
      page_.paragraph(block_);
    block_.clear();
    bullet_ = false;
  }

  Roff& page_;
  std::string block_{}, code_{};
  bool bullet_ = false, in_code_ = false;
  std::size_t rows_ = 0;
};

}  // namespace

void add_markdown(Roff& page, std::string_view document) { MarkdownReader(page).read(document); }

std::string title_of(std::string_view document) {
  const std::string_view line = document.substr(0, document.find('\n'));
  std::string title(trimmed(line, "# "));
  return lower(title.substr(0, 1)) + title.substr(std::min<std::size_t>(1, title.size()));
}

}  // namespace skein::manual
