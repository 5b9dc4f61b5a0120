// A manual page being written, as man(7) wants it. Everything that is not markup here comes out as
// it reads, in ASCII.
#pragma once

#include <string>
#include <string_view>

namespace skein::manual {

class Roff {
 public:
  // `date` is 2026-11-16.
  Roff(std::string_view name, int section, std::string_view date);

  // Texts may have `code`, **bold** and [links](…) in them, as Markdown has.
  void heading(std::string_view text);     // of a section, in capitals
  void subheading(std::string_view text);  // below it
  void paragraph(std::string_view text);
  void term(std::string_view tag, std::string_view text);  // the tag is literal
  void bullet(std::string_view text);
  void code(std::string_view lines);  // literal, line by line
  void name(std::string_view page, std::string_view summary);
  void raw(std::string_view line) { out_ += std::string(line) + "\n"; }

  const std::string& text() const { return out_; }

 private:
  std::string out_{};
};

// As it reads, whatever it holds.
std::string literal(std::string_view text);
// The same with its marks.
std::string marked(std::string_view text);
// "one turn, then exit" → "One turn, then exit."
std::string sentence(std::string_view text);

}  // namespace skein::manual
