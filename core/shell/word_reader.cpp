#include "core/shell/word_reader.h"

#include <algorithm>
#include <utility>

#include "core/shell/builtins.h"

namespace skein::shell {

namespace {

constexpr std::size_t most_texts = 32;  // of one word; more are as good as unknown
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

// `${name%/*}`
Values without_last_part(Values values) {
  for (std::string& text : values.texts) text.resize(std::min(text.rfind('/'), text.size()));
  return values;
}

void append(Values& to, char c) {
  for (std::string& text : to.texts) text += c;
}
void append_quoted(Values& to, char c) {
  if (pattern_signs.find(c) != none) append(to, '\\');
  append(to, c);
}

// As a pattern that finds just these; and back.
Values quoted(Values values) {
  for (std::string& text : values.texts)
    for (std::size_t i = text.find_first_of(pattern_signs); i != none;
         i = text.find_first_of(pattern_signs, i + 2))
      text.insert(i, 1, '\\');
  return values;
}
void unquote(Values& values) {
  for (std::string& text : values.texts)
    for (std::size_t i = text.find('\\'); i != none; i = text.find('\\', i + 1)) text.erase(i, 1);
}

}  // namespace

bool is_variable_name(std::string_view text) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         text.find_first_not_of(letters) == none;
}

void Values::add(const Values& more) {
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

char ShellWordReader::peek(std::size_t ahead) const {
  return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
}

bool ShellWordReader::at_end_of_word() const { return done() || word_ends.find(peek()) != none; }

bool ShellWordReader::accept(std::string_view what) {
  if (!at(what)) return false;
  at_ += what.size();
  return true;
}

void ShellWordReader::skip_blanks() {
  while (accept(" ") || accept("\t") || accept("\\\n")) {
  }
  if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
}

std::string_view ShellWordReader::text_up_to(std::string_view what) {
  const std::size_t from = at_, found = text_.find(what, at_);
  if (found == none) failed_ = true;
  at_ = failed_ ? text_.size() : found + what.size();
  return failed_ ? std::string_view{} : text_.substr(from, found - from);
}

ShellWordReader::Word ShellWordReader::word() {
  const std::size_t from = at_;
  Word out{.values = {.texts = {""}}};
  if (peek() == '~') home(out.values);
  while (!at_end_of_word()) {
    const char c = peek();
    Values piece{.texts = {""}};
    if (accept("'"))
      piece.texts[0] = text_up_to("'");
    else if (accept("\""))
      double_quoted(piece);
    else if (accept("$'"))
      ansi_quoted(piece);
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

void ShellWordReader::plain(Word& out) {
  const std::string_view rest = text_.substr(at_ + 1);
  const char c = peek();
  const bool set = c == '[' && rest.find(']') < rest.find_first_of(word_ends);
  if (c == '\\') {
    // A line that continues inside of a word would join what is read apart here.
    failed_ = failed_ || rest.empty() || rest[0] == '\n';
    ++at_;
    return append_quoted(out.values, failed_ ? ' ' : text_[at_++]);
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
bool ShellWordReader::is_brace_expansion() const {
  if (peek() != '{') return false;
  const std::string_view rest = text_.substr(at_ + 1);
  const std::string_view inside = rest.substr(0, rest.find('}'));
  return inside.find_first_of(",{$`'\"\\ \t\n") != none || inside.find("..") != none;
}

void ShellWordReader::home(Values& to) {
  ++at_;
  to = peek() == '/' || at_end_of_word() ? quoted(variable("HOME")) : Values::unknown();
}

void ShellWordReader::double_quoted(Values& to) {
  while (!done() && peek() != '"') quoted_piece(to);
  if (!accept("\"")) failed_ = true;
}

// $'…': what a backslash means in it is not looked at.
void ShellWordReader::ansi_quoted(Values& to) {
  const std::string_view inside = text_up_to("'");
  failed_ = failed_ || inside.ends_with('\\');
  to = {.texts = {std::string(inside)}, .known = inside.find('\\') == none};
}

void ShellWordReader::quoted_piece(Values& to) {
  if (peek() == '$' || peek() == '`') {
    to = joined(to, expansion());
    return;
  }
  if (at("\\\n")) failed_ = true;
  if (peek() == '\\' && std::string_view("$`\"\\").find(peek(1)) != none) ++at_;
  append(to, peek());
  ++at_;
}

Values ShellWordReader::expansion() {
  if (accept("`")) return in_backquotes();
  ++at_;                                             // $
  failed_ = failed_ || peek() == '[' || at("\\\n");  // old arithmetic; a name on the next line
  if (accept("((")) return arithmetic(text_up_to("))")), Values::unknown();
  if (accept("(")) return substituted(nested());
  if (accept("{")) return in_braces();
  if (std::string_view("@*#?$!-0123456789").find(peek()) != none && !done())
    return variable(text_.substr(at_++, 1));
  std::size_t length = 0;
  while (at_ + length < text_.size() && is_variable_name(text_.substr(at_, length + 1))) ++length;
  if (length == 0) return {.texts = {"$"}};
  at_ += length;
  return variable(text_.substr(at_ - length, length));
}

// With a backslash in it, what is quoted depends on what is around it.
Values ShellWordReader::in_backquotes() {
  const std::string_view inner = text_up_to("`");
  failed_ = failed_ || inner.find('\\') != none;
  return failed_ ? Values::unknown() : substituted(run_apart(inner));
}

Values ShellWordReader::substituted(Values printed) const {
  printed.known = printed.known && scope_->assumes_usual;
  return printed;
}

// ${NAME}, ${NAME%/*}, ${NAME:-word}; of others only the commands in them are looked at.
Values ShellWordReader::in_braces() {
  const std::size_t from = at_;
  int open = 1;
  for (; open > 0 && !done(); ++at_) {
    if (peek() == '\\') ++at_;
    open += peek() == '{' ? 1 : peek() == '}' ? -1 : 0;
  }
  at_ = std::min(at_, text_.size());
  const std::string_view body = open > 0 ? "" : text_.substr(from, at_ - 1 - from);
  std::size_t length = 0;
  while (length < body.size() && is_variable_name("x" + std::string(1, body[length]))) ++length;
  const std::string_view name = body.substr(0, length), rest = body.substr(length);
  // A quote may have hidden a brace. `@` and `!` can run the value, `=` sets it, and after a plain
  // `:` or in brackets there is arithmetic.
  const bool quoted_brace =
      std::ranges::count(body, '"') % 2 != 0 || std::ranges::count(body, '\'') % 2 != 0;
  const bool plain_colon = rest.starts_with(':') && rest.find_first_of("-+?") != 1;
  const bool evaluates = rest.find_first_of("@!") != none || rest.starts_with('=') || plain_colon ||
                         (rest.find('[') != none && !rest.starts_with("[0]"));
  failed_ = failed_ || open > 0 || quoted_brace || evaluates;
  if (failed_) return Values::unknown();
  Values value = variable(name);
  if (rest.empty() || rest == "[0]") return value;
  if (rest == "%/*" || rest == "[0]%/*") return without_last_part(std::move(value));
  const bool replaces = rest.starts_with(":-") || rest.starts_with('-');
  const Values other = expand_apart(rest.substr(replaces ? rest.find('-') + 1 : 0));
  if (!replaces) return Values::unknown();
  if (scope_->assumes_usual && !scope_->variables.contains(std::string(name))) value.known = true;
  value.add(other);
  return value;
}

Values ShellWordReader::variable(std::string_view name) const {
  const auto found = scope_->variables.find(std::string(name));
  if (name == "PWD" && found == scope_->variables.end()) return scope_->folders;
  const bool has_none = found == scope_->variables.end() || found->second.texts.empty();
  return has_none ? Values::unknown() : found->second;
}

}  // namespace skein::shell
