// Reads the words of shell text and expands them as far as that is possible without running
// anything. The commands inside of words are for the one who derives from it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/shell/walk.h"

namespace skein::shell {

inline constexpr auto none = std::string_view::npos;

class ShellWordReader {
 protected:
  using Word = ShellCall::Word;

  // Both must outlive this.
  ShellWordReader(std::string_view text, ShellScope& scope) : text_(text), scope_(&scope) {}
  ~ShellWordReader() = default;

  // What $(…) prints; the text behind `$(` is next. Reads the closing parenthesis too.
  virtual Values nested() = 0;
  virtual void arithmetic(std::string_view expression) = 0;
  // What the commands of another text print; and what it becomes as if it were in double quotes.
  virtual Values run_apart(std::string_view text) = 0;
  virtual Values expand_apart(std::string_view text) = 0;

  bool done() const { return failed_ || at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const;
  bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool at_end_of_word() const;
  bool accept(std::string_view what);
  void skip_blanks();  // and a comment, where one may begin
  // What comes before the next `what`, which is skipped too.
  std::string_view text_up_to(std::string_view what);

  Word word();
  void quoted_piece(Values& to);  // of what is in double quotes
  Values variable(std::string_view name) const;

  std::string_view text_;
  ShellScope* scope_;
  std::size_t at_ = 0;
  bool failed_ = false;

 private:
  void plain(Word& out);
  bool is_brace_expansion() const;
  void home(Values& to);
  void ansi_quoted(Values& to);
  void double_quoted(Values& to);
  Values expansion();
  Values in_backquotes();
  Values substituted(Values printed) const;
  Values in_braces();
};

bool is_variable_name(std::string_view text);

}  // namespace skein::shell
