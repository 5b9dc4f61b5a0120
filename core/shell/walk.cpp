#include "core/shell/walk.h"

#include "core/text/base.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

namespace skein::shell {

static std::size_t name_length(std::string_view text) {
  const auto in_name = [](char c) { return is_alphanumeric(c) || c == '_'; };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, in_name) - text.begin());
}

bool is_variable_name(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && name_length(text) == text.size();
}

void Values::add(const Values& more) {
  constexpr std::size_t most_texts = 32;  // of one word; more are as good as unknown
  known = known && more.known;
  for (const std::string& text : more.texts)
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  if (texts.size() <= most_texts) return;
  texts.resize(most_texts);
  known = false;
}

void ShellScope::add(const ShellScope& more) {
  folders.add(more.folders);
  for (const auto& [name, values] : more.variables) variables[name].add(values);
  functions.insert(more.functions.begin(), more.functions.end());
}

Values joined(const Values& first, const Values& second) {
  Values out{.known = first.known && second.known};
  for (const std::string& front : first.texts)
    for (const std::string& back : second.texts) out.add({.texts = {front + back}});
  return out;
}

std::string_view text_of(const ShellCall::Word& word) {
  const bool one = word.values.known && !word.glob && word.values.texts.size() == 1;
  return one ? std::string_view(word.values.texts[0]) : std::string_view{};
}

namespace {

constexpr std::string_view word_ends = " \t\n;&|<>()";
constexpr std::string_view pattern_signs = "*?[\\";

// A value outside of quotes is split at blanks and its globs are expanded; an empty one vanishes.
Values as_one_word(Values values) {
  const bool splits = std::ranges::any_of(values.texts, [](const std::string& text) {
    return text.empty() || text.find_first_of(" \t\n*?[") != none;
  });
  values.known = values.known && !splits;
  return values;
}

void append(Values& to, char c) {
  for (std::string& text : to.texts) text += c;
}

// As a pattern that finds just these; and back.
Values quoted(Values values) {
  for (std::string& text : values.texts) text = glob_quoted(text);
  return values;
}
void unquote(Values& values) {
  for (std::string& text : values.texts)
    for (std::size_t i = text.find('\\'); i != none; i = text.find('\\', i + 1)) text.erase(i, 1);
}

constexpr int deepest_nesting = 40;  // of what is written inside something else
constexpr std::string_view transparent = "if then elif else fi while until do done ! { } esac";

const Values nothing_printed{.texts = {""}};

// Reads the words of shell text and expands them as far as that is possible without running
// anything; hands on the commands.
class Walker {
 public:
  Walker(std::string_view text, ShellScope& scope, const ShellVisit& visit, int depth)
      : text_(text), scope_(&scope), visit_(visit), depth_(depth) {
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
  using Word = ShellCall::Word;

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  bool done() const { return failed_ || at_ >= text_.size(); }
  bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool at_end_of_word() const { return done() || word_ends.find(peek()) != none; }

  bool accept(std::string_view what) {
    if (!at(what)) return false;
    at_ += what.size();
    return true;
  }

  // And a comment, where one may begin.
  void skip_blanks() {
    while (accept(" ") || accept("\t") || accept("\\\n")) {
    }
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }

  // What comes before the next `what`, which is skipped too.
  std::string_view text_up_to(std::string_view what) {
    const std::size_t from = at_, found = text_.find(what, at_);
    failed_ = failed_ || found == none;
    at_ = failed_ ? text_.size() : found + what.size();
    return failed_ ? std::string_view{} : text_.substr(from, found - from);
  }

  Word word() {
    const std::size_t from = at_;
    Word out{.values = {.texts = {""}}};
    if (accept("~"))
      out.values = peek() == '/' || at_end_of_word() ? quoted(variable("HOME")) : Values::unknown();
    while (!at_end_of_word()) {
      const char c = peek();
      Values piece{.texts = {""}};
      if (accept("'"))
        piece.texts[0] = text_up_to("'");
      else if (accept("\"")) {
        while (!done() && peek() != '"') quoted_piece(piece);
        if (!accept("\"")) failed_ = true;
      } else if (accept("$'"))
        piece = ansi_quoted();
      else if (at("$\""))
        failed_ = true;  // a text that is translated
      else if (c == '$' || c == '`')
        piece = as_one_word(expansion());
      else {
        plain(out);
        continue;
      }
      out.values = joined(out.values, quoted(std::move(piece)));
    }
    if (!out.glob) unquote(out.values);
    out.written = std::string(text_.substr(from, at_ - from));
    return out;
  }

  void plain(Word& out) {
    const std::string_view rest = text_.substr(at_ + 1);
    const char c = peek();
    const bool set = c == '[' && rest.find(']') < rest.find_first_of(word_ends);
    if (c == '\\') {
      // A line that continues inside of a word would join what is read apart here.
      failed_ = failed_ || rest.empty() || rest[0] == '\n';
      ++at_;
      const char quoted = failed_ ? ' ' : text_[at_++];
      if (pattern_signs.find(quoted) != none) append(out.values, '\\');
      return append(out.values, quoted);
    }
    if (c == '*' || c == '?' || set) out.glob = true;
    const char before = at_ > 0 ? text_[at_ - 1] : ' ';
    // a{b,c} is two words, a=~ a home folder, and in some locales there are other blanks.
    if (is_brace_expansion() || (c == '~' && (before == '=' || before == ':')) ||
        static_cast<unsigned char>(c) >= 0x80)
      out.values.known = false;
    append(out.values, c);
    ++at_;
  }

  // HEAD@{1} is itself.
  bool is_brace_expansion() const {
    if (peek() != '{') return false;
    const std::string_view rest = text_.substr(at_ + 1);
    const std::string_view inside = rest.substr(0, rest.find('}'));
    return inside.find_first_of(",{$`'\"\\ \t\n") != none || inside.find("..") != none;
  }

  // $'…': what a backslash means in it is not looked at.
  Values ansi_quoted() {
    const std::string_view inside = text_up_to("'");
    failed_ = failed_ || inside.ends_with('\\');
    return {.texts = {std::string(inside)}, .known = inside.find('\\') == none};
  }

  // Of what is in double quotes.
  void quoted_piece(Values& to) {
    if (peek() == '$' || peek() == '`') return void(to = joined(to, expansion()));
    if (at("\\\n")) failed_ = true;
    if (peek() == '\\' && std::string_view("$`\"\\").find(peek(1)) != none) ++at_;
    append(to, peek());
    ++at_;
  }

  Values expansion() {
    if (accept("`")) return in_backquotes();
    ++at_;                                             // $
    failed_ = failed_ || peek() == '[' || at("\\\n");  // old arithmetic; a name on the next line
    if (accept("((")) return arithmetic(text_up_to("))")), Values::unknown();
    if (accept("(")) return substituted(nested());
    if (accept("{")) return in_braces();
    if (std::string_view("@*#?$!-0123456789").find(peek()) != none && !done())
      return variable(text_.substr(at_++, 1));
    const std::size_t length = name_length(text_.substr(std::min(at_, text_.size())));
    if (length == 0) return {.texts = {"$"}};
    at_ += length;
    return variable(text_.substr(at_ - length, length));
  }

  // With a backslash in it, what is quoted depends on what is around it.
  Values in_backquotes() {
    const std::string_view inner = text_up_to("`");
    failed_ = failed_ || inner.find('\\') != none;
    return failed_ ? Values::unknown() : substituted(run_apart(inner));
  }

  Values substituted(Values printed) const {
    printed.known = printed.known && scope_->assumes_usual;
    return printed;
  }

  // ${NAME}, ${NAME%/*}, ${NAME:-word}; of others only the commands in them are looked at.
  Values in_braces() {
    const std::size_t from = at_;
    int open = 1;
    for (; open > 0 && !done(); ++at_) {
      if (peek() == '\\') ++at_;
      open += peek() == '{' ? 1 : peek() == '}' ? -1 : 0;
    }
    at_ = std::min(at_, text_.size());
    const std::string_view body = open > 0 ? "" : text_.substr(from, at_ - 1 - from);
    const std::size_t length = name_length(body);
    const std::string_view name = body.substr(0, length), rest = body.substr(length);
    // A quote may have hidden a brace. `@` and `!` can run the value, `=` sets it, and after a
    // plain `:` or in brackets there is arithmetic.
    const bool quoted_brace =
        std::ranges::count(body, '"') % 2 != 0 || std::ranges::count(body, '\'') % 2 != 0;
    const bool plain_colon = rest.starts_with(':') && rest.find_first_of("-+?") != 1;
    const bool evaluates = rest.find_first_of("@!") != none || rest.starts_with('=') ||
                           plain_colon || (rest.find('[') != none && !rest.starts_with("[0]"));
    failed_ = failed_ || open > 0 || quoted_brace || evaluates;
    if (failed_) return Values::unknown();
    Values value = variable(name);
    if (rest.empty() || rest == "[0]") return value;
    if (rest == "%/*" || rest == "[0]%/*") {
      for (std::string& text : value.texts) text.resize(std::min(text.rfind('/'), text.size()));
      return value;
    }
    const bool replaces = rest.starts_with(":-") || rest.starts_with('-');
    const Values other = expand_apart(rest.substr(replaces ? rest.find('-') + 1 : 0));
    if (!replaces) return Values::unknown();
    if (scope_->assumes_usual && !scope_->variables.contains(std::string(name))) value.known = true;
    value.add(other);
    return value;
  }

  Values variable(std::string_view name) const {
    const auto found = scope_->variables.find(std::string(name));
    if (name == "PWD" && found == scope_->variables.end()) return scope_->folders;
    const bool has_none = found == scope_->variables.end() || found->second.texts.empty();
    return has_none ? Values::unknown() : found->second;
  }

  void skip_lines() {
    for (skip_blanks(); peek() == '\n'; skip_blanks()) end_line();
  }
  void end_line() { at_ = std::max(at_ + 1, documents_end_); }

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
  void arithmetic(std::string_view expression) {
    Word word{std::string(expression), expand_apart(expression)};
    if (expression.find_first_not_of("0123456789+-*/%()<>=!&|^~?:, \t\n") == none) return;
    visit_({.words = {{.written = "let", .values = {.texts = {"let"}}}, std::move(word)}}, *scope_);
  }

  // A list in parentheses: what it changes ends with it.
  Values nested() {
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

  Values run_apart(std::string_view text) {
    ShellScope scope = *scope_;
    Walker walker(text, scope, visit_, depth_ + 1);
    Values printed = taken(walker, walker.walk());
    if (repeats_) scope_->add(scope);
    return printed;
  }
  Values expand_apart(std::string_view text) {
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
    skip_lines();
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
    skip_lines();
    return at("in") && std::string_view(" \t\n").find(peek(2)) != none && accept("in");
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
  bool assigns(ShellCall& call, const Word& next) {
    const std::size_t equals = next.written.find('=');
    if (equals == std::string::npos) return false;
    std::string_view name = std::string_view(next.written).substr(0, equals);
    const bool adds = name.ends_with('+');
    if (adds) name.remove_suffix(1);
    if (!is_variable_name(name)) return false;
    Word value = next;
    for (std::string& text : value.values.texts) text.erase(0, equals + 1);
    if (next.written.substr(equals + 1).starts_with("~/")) {
      for (std::string& text : value.values.texts) text.erase(0, 1);
      value.values = joined(variable("HOME"), value.values);
    }
    const bool is_array = accept("(");
    if (adds || next.glob || is_array) value.values = Values::unknown();
    while (is_array && !done() && !accept(")"))
      if (at_end_of_word())
        ++at_;
      else
        word();
    call.assignments.push_back({std::string(name), std::move(value)});
    return true;
  }

  bool redirection(ShellCall& call) {
    std::size_t digits = 0;
    while (is_digit(peek(digits))) ++digits;
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

  std::string_view text_;
  ShellScope* scope_;
  const ShellVisit& visit_;
  int depth_;
  std::size_t at_ = 0;
  bool failed_ = false;
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

void forget_arguments(ShellScope& scope) {
  for (char digit = '1'; digit <= '9'; ++digit)
    scope.variables[std::string(1, digit)].add(Values::unknown());
}

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
