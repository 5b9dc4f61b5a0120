#include "core/project/shell_walk.h"

#include <algorithm>
#include <utility>

#include "core/project/shell_builtins.h"
#include "core/project/shell_words.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

constexpr int deepest_nesting = 40;  // of what is written inside something else
constexpr std::string_view transparent = "if then elif else fi while until do done ! { } esac";

const Values nothing_printed{.texts = {""}};

class Walker : public ShellWordReader {
 public:
  Walker(std::string_view text, ShellScope& scope, const ShellVisit& visit, int depth)
      : ShellWordReader(text, scope), visit_(visit), depth_(depth) {
    failed_ = depth > deepest_nesting;
  }

  ShellWalk walk() {
    list();
    if (at_ < text_.size()) failed_ = true;  // a parenthesis that nothing opened
    return {!failed_, failed_ ? Values::unknown() : std::move(printed_)};
  }

  ShellWalk expand() {
    Values out = nothing_printed;
    while (!done()) quoted_piece(out);
    return {!failed_, std::move(out)};
  }

 private:
  void end_line() {
    ++at_;
    at_ = std::max(at_, documents_end_);
  }

  // To the end of the text, or to a parenthesis that closes.
  void list() {
    while (!done()) {
      skip_blanks();
      if (done() || peek() == ')') return;
      if (peek() == '\n')
        end_line();
      else if (accept(";;&") || accept(";;") || accept(";&"))
        pattern();
      else if (accept("||") || accept("&&") || accept(";"))
        piped_ = false;
      else if (accept("|&") || accept("|"))
        piped_ = true;
      else if (peek() == '&' && peek(1) != '>')
        ++at_;
      else if (!arithmetic() && accept("("))
        printed_ = joined(printed_, nested());
      else if (!at_end_of_word() || peek() == '<' || peek() == '>' || peek() == '&')
        command();
    }
  }

  // `((i++))`; `((./x))` is a list in two pairs of parentheses.
  bool arithmetic() {
    const std::size_t end = text_.find("))", at_);
    if (!at("((") || end == std::string_view::npos) return false;
    const std::string_view body = text_.substr(at_ + 2, end - at_ - 2);
    if (body.find_first_of("./;'\"") != std::string_view::npos) return false;
    expand_apart(body);
    at_ = end + 2;
    return true;
  }

  // A list in parentheses: what it changes ends with it.
  Values nested() override {
    ShellScope inner = *scope_;
    ShellScope* const outer = std::exchange(scope_, &inner);
    const Values before = std::exchange(printed_, nothing_printed);
    const bool piped = std::exchange(piped_, false);
    failed_ = failed_ || ++depth_ > deepest_nesting;
    list();
    --depth_;
    if (!accept(")")) failed_ = true;
    scope_ = outer;
    piped_ = piped;
    return std::exchange(printed_, before);
  }

  Values run_apart(std::string_view text) override {
    ShellScope scope = *scope_;
    return taken(Walker(text, scope, visit_, depth_ + 1).walk());
  }
  Values expand_apart(std::string_view text) override {
    return taken(Walker(text, *scope_, visit_, depth_ + 1).expand());
  }
  Values taken(ShellWalk walk) {
    failed_ = failed_ || !walk.understood;
    return std::move(walk.printed);
  }

  // Of `case`; the commands behind it follow.
  void pattern() {
    for (skip_blanks(); peek() == '\n'; skip_blanks()) end_line();
    if (at("esac")) return;
    accept("(");
    while (!done() && !accept(")")) {
      const std::size_t before = at_;
      skip_blanks();
      accept("|");
      word();
      if (at_ == before) failed_ = true;
    }
  }

  void command() {
    ShellCall call{.piped = std::exchange(piped_, false)};
    while (!failed_) {
      skip_blanks();
      if (redirection(call)) continue;
      if (at_end_of_word()) break;
      Word next = word();
      if (call.words.empty() && is_grammar(next.written)) return;
      if (call.words.empty() && assigns(call, next)) continue;
      call.words.push_back(std::move(next));
      if (call.words.size() == 1 && defines_function(call.words[0].written)) return;
    }
    if (!failed_) end_command(std::move(call));
  }

  // Variables that are set for all later commands are handed on like `export`.
  void end_command(ShellCall call) {
    if (call.words.empty() && call.assignments.empty()) return;
    if (call.words.empty())
      call.words.push_back({.written = "export", .values = {.texts = {"export"}}});
    printed_ = joined(printed_, visit_(call, *scope_));
  }

  // Words that are part of the shell's grammar.
  bool is_grammar(std::string_view name) {
    if (has_word(transparent, name)) return true;
    if (name == "[[") return expand_apart(text_up_to("]]")), true;
    if (name == "for" || name == "select") return loop(), true;
    skip_blanks();
    if (name == "function") {
      const std::string function = word().written;
      skip_blanks();
      if (accept("(")) text_up_to(")");
      return define(function), true;
    }
    if (name != "case") return false;
    word();
    text_up_to("in");
    pattern();
    return true;
  }

  void loop() {
    skip_blanks();
    if (accept("((")) {
      expand_apart(text_up_to("))"));
      return;
    }
    const std::string name = word().written;
    Values& variable = scope_->variables[name];
    for (skip_blanks(); peek() == '\n'; skip_blanks()) end_line();
    if (!accept("in")) return variable.add(Values::unknown());
    for (skip_blanks(); !at_end_of_word(); skip_blanks()) {
      const Word each = word();
      variable.add(each.glob ? Values::unknown() : each.values);
    }
  }

  bool defines_function(std::string_view name) {
    skip_blanks();
    if (peek() != '(' || name.find_first_of("$`'\"\\/*?[=") != std::string_view::npos) return false;
    text_up_to(")");
    define(std::string(name));
    return true;
  }
  // What it is given is known only where it is called.
  void define(const std::string& name) {
    scope_->functions.insert(name);
    forget_arguments(*scope_);
  }

  // NAME=value, NAME+=value, NAME=(…)
  bool assigns(ShellCall& call, const Word& word) {
    const std::size_t equals = word.written.find('=');
    if (equals == std::string::npos) return false;
    std::string_view name = std::string_view(word.written).substr(0, equals);
    const bool adds = name.ends_with('+');
    if (adds) name.remove_suffix(1);
    if (!is_variable_name(name)) return false;
    Word value = word;
    for (std::string& text : value.values.texts) text.erase(0, equals + 1);
    if (word.written.substr(equals + 1).starts_with("~/")) {
      for (std::string& text : value.values.texts) text.erase(0, 1);
      value.values = joined(variable("HOME"), value.values);
    }
    if (adds || word.glob || at("(")) value.values = Values::unknown();
    if (accept("(")) array();
    call.assignments.push_back({std::string(name), std::move(value)});
    return true;
  }

  void array() {
    while (!done() && !accept(")")) {
      if (at_end_of_word())
        ++at_;
      else
        word();
    }
  }

  bool redirection(ShellCall& call) {
    std::size_t digits = 0;
    while (peek(digits) >= '0' && peek(digits) <= '9') ++digits;
    const bool both = digits == 0 && at("&>");
    if (!both && peek(digits) != '<' && peek(digits) != '>') return false;
    at_ += digits;
    if (accept("<(") || accept(">(")) {
      nested();
      call.words.push_back({.written = "<(…)", .values = Values::unknown()});
      return true;
    }
    const bool text = accept("<<<");
    if (!text && accept("<<")) return document(call), true;
    const bool input = !text && peek() == '<' && peek(1) != '&' && peek(1) != '>';
    while (!text && !done() && std::string_view("<>&|").find(peek()) != std::string_view::npos)
      ++at_;
    skip_blanks();
    const Word target = word();
    if (text) call.document = target.values;
    if (input) call.input = target;
    return true;
  }

  // Its lines follow the line that it is named in, or an earlier one of that line.
  void document(ShellCall& call) {
    const bool indented = accept("-");
    skip_blanks();
    const Word mark = word();
    const bool literal = mark.written.find_first_of("'\"\\") != std::string::npos;
    const std::size_t end_of_line = std::min(text_.find('\n', at_), text_.size());
    const std::string_view rest = text_.substr(std::max(documents_end_, end_of_line));
    std::string body;
    for (std::string_view line : split(rest, '\n')) {
      if (indented) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line == text_of(mark) && !line.empty()) {
        documents_end_ = static_cast<std::size_t>(line.data() - text_.data()) + line.size();
        call.document = literal ? Values{.texts = {body}} : expand_apart(body);
        return;
      }
      body += std::string(line) + "\n";
    }
    failed_ = true;
  }

  const ShellVisit& visit_;
  int depth_;
  std::size_t documents_end_ = 0;  // where the text continues after here-documents
  bool piped_ = false;
  Values printed_ = nothing_printed;
};

}  // namespace

ShellWalk walk_shell(std::string_view text, ShellScope& scope, const ShellVisit& visit) {
  return Walker(text, scope, visit, 0).walk();
}

}  // namespace skein::project
