#include "core/shell/walk.h"

#include <algorithm>
#include <utility>

#include "core/shell/builtins.h"
#include "core/shell/word_reader.h"
#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::shell {

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

  bool repeats() const { return repeats_; }

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
      else if (!condition() && accept("("))
        printed_ = joined(printed_, nested()), last_printed_ = Values::unknown();
      else if (!at_end_of_word() || peek() == '<' || peek() == '>' || peek() == '&')
        command();
    }
  }

  // `((i++))`; `((./x))` is a list in two pairs of parentheses.
  bool condition() {
    const std::size_t end = text_.find("))", at_);
    if (!at("((") || end == none) return false;
    const std::string_view body = text_.substr(at_ + 2, end - at_ - 2);
    if (body.find_first_of("./;'\"") != none) return false;
    arithmetic(body);
    at_ = end + 2;
    return true;
  }

  // The value of a variable in it is evaluated too, and may hold commands.
  void arithmetic(std::string_view expression) override {
    Word word{std::string(expression), expand_apart(expression)};
    if (expression.find_first_not_of("0123456789+-*/%()<>=!&|^~?:, \t\n") == none) return;
    visit_({.words = {{.written = "let", .values = {.texts = {"let"}}}, std::move(word)}}, *scope_);
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
    if (!accept(")") || documents_end_ > at_) failed_ = true;
    scope_ = outer;
    if (repeats_) scope_->add(inner);
    piped_ = piped;
    return std::exchange(printed_, before);
  }

  Values run_apart(std::string_view text) override {
    ShellScope scope = *scope_;
    Walker walker(text, scope, visit_, depth_ + 1);
    Values printed = taken(walker, walker.walk());
    if (repeats_) scope_->add(scope);
    return printed;
  }
  Values expand_apart(std::string_view text) override {
    Walker walker(text, *scope_, visit_, depth_ + 1);
    return taken(walker, walker.expand());
  }
  Values taken(const Walker& walker, ShellWalk walk) {
    failed_ = failed_ || !walk.understood;
    repeats_ = repeats_ || walker.repeats();
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
    if (call.piped) call.document = std::exchange(last_printed_, Values::unknown());
    while (!failed_) {
      skip_blanks();
      if (redirection(call)) continue;
      if (at_end_of_word()) break;
      const std::size_t from = at_;
      Word next = word();
      // A document begins at the end of the line, which a word with a line end in it moves.
      failed_ = failed_ || (documents_end_ > from && next.written.find('\n') != none);
      const bool first =
          call.words.empty() && call.assignments.empty() && call.redirections.empty();
      if (first && is_grammar(next.written)) return;
      if (call.words.empty() && assigns(call, next)) continue;
      call.words.push_back(std::move(next));
      if (call.words.size() == 1 && defines_function(call.words[0].written)) return;
    }
    if (!failed_) end_command(call);
  }

  void end_command(const ShellCall& call) {
    if (call.words.empty() && call.assignments.empty() && call.redirections.empty()) return;
    last_printed_ = visit_(call, *scope_);
    printed_ = joined(printed_, last_printed_);
  }

  // Words that are part of the shell's grammar.
  bool is_grammar(std::string_view name) {
    if (has_word("while until for select", name)) repeats_ = true;
    if (has_word(transparent, name)) return last_printed_ = Values::unknown(), true;
    if (name == "[[") return test(), true;
    if (name == "for" || name == "select") return loop(), true;
    if (name == "function") {
      skip_blanks();
      const std::string function = word().written;
      skip_blanks();
      if (accept("(") && !accept(")")) failed_ = true;
      return define(function), true;
    }
    if (name != "case") return false;
    skip_blanks();
    word();
    if (!accept_in()) failed_ = true;
    pattern();
    return true;
  }

  void test() {
    ShellCall call{.words = {{.written = "[[", .values = {.texts = {"[["}}}}};
    while (!accept("]]")) {
      if (done() || peek() == '#') failed_ = true;
      if (failed_) return;
      if (at_end_of_word())
        ++at_;
      else
        call.words.push_back(word());
    }
    if (!at_end_of_word()) failed_ = true;
    end_command(call);
  }

  bool accept_in() {
    for (skip_blanks(); peek() == '\n'; skip_blanks()) end_line();
    const bool whole = at("in") && std::string_view(" \t\n").find(peek(2)) != none;
    return whole && accept("in");
  }

  void loop() {
    skip_blanks();
    if (accept("((")) return arithmetic(text_up_to("))"));
    const std::string name = word().written;
    const auto takes = [&](Word value) {
      end_command({.assignments = {{name, std::move(value)}}});
    };
    if (!is_variable_name(name)) failed_ = true;
    if (!accept_in()) return takes({.values = Values::unknown()});
    for (skip_blanks(); !at_end_of_word(); skip_blanks()) takes(word());
  }

  bool defines_function(std::string_view name) {
    skip_blanks();
    if (peek() != '(') return false;
    if (name.find_first_of("$`'\"\\/*?[=") != none || !accept("(") || (skip_blanks(), !accept(")")))
      failed_ = true;
    define(std::string(name));
    return true;
  }
  // What it is given is known only where it is called.
  void define(const std::string& name) {
    repeats_ = true;
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
    if (digits == 0 && (at("<(") || at(">("))) return process(call), true;
    const bool text = accept("<<<");
    if (!text && accept("<<")) return document(call), true;
    std::string sign;
    while (!text && !done() && std::string_view("<>&|").find(peek()) != none) sign += text_[at_++];
    skip_blanks();
    Word target = word();
    if (text) call.document = target.values;
    if (sign == "<") call.input = target;
    if (!text) call.redirections.push_back({std::move(sign), std::move(target)});
    return true;
  }

  // <(…)
  void process(ShellCall& call) {
    const std::string_view written = peek() == '<' ? read_from_process : written_to_process;
    const bool glued = at_ > 0 && std::string_view(" \t\n").find(text_[at_ - 1]) == none;
    at_ += 2;
    nested();
    if (glued || !at_end_of_word()) failed_ = true;  // part of a longer name
    call.words.push_back({.written = std::string(written), .values = Values::unknown()});
  }

  // Its lines follow the line that it is named in, or an earlier one of that line.
  void document(ShellCall& call) {
    const bool indented = accept("-");
    skip_blanks();
    const Word mark = word();
    const bool literal = mark.written.find_first_of("'\"\\") != none;
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
  bool piped_ = false, repeats_ = false;
  Values printed_ = nothing_printed, last_printed_ = Values::unknown();
};

// A control character may mean something else to a terminal, a shell and a reader.
bool is_readable(std::string_view text) {
  return is_valid_utf8(text) && std::ranges::none_of(text, [](char c) {
           return (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == 0x7F;
         });
}

// What became known since; from the third time on it is taken for unknown.
bool settle(Values& now, const Values& before, int round) {
  if (!now.known || now == before) return true;
  if (round >= 3) now.known = false;
  return false;
}

bool settle(ShellScope& now, const ShellScope& before, int round) {
  bool settled = settle(now.folders, before.folders, round);
  for (auto& [name, values] : now.variables) {
    const auto found = before.variables.find(name);
    const bool same = found != before.variables.end() && settle(values, found->second, round);
    settled = settled && (same || !values.known);
  }
  return settled;
}

}  // namespace

ShellWalk walk_shell(std::string_view text, ShellScope& scope, const ShellVisit& visit) {
  if (!is_readable(text)) return {.understood = false, .printed = Values::unknown()};
  for (int round = 1;; ++round) {
    const ShellScope before = scope;
    Walker walker(text, scope, visit, 0);
    ShellWalk walk = walker.walk();
    if (!walk.understood || !walker.repeats() || settle(scope, before, round)) return walk;
  }
}

}  // namespace skein::shell
