#include "core/project/shell_words.h"

#include <algorithm>
#include <utility>

#include "core/project/shell_builtins.h"

namespace skein::project {

namespace {

constexpr std::size_t most_texts = 32;  // of one word; more are as good as unknown
constexpr auto none = std::string_view::npos;
constexpr std::string_view word_ends = " \t\n;&|<>()";

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
    if (accept("'"))
      out.values = joined(out.values, {.texts = {std::string(text_up_to("'"))}});
    else if (accept("\""))
      double_quoted(out.values);
    else if (accept("$'"))
      text_up_to("'"), out.values.known = false;
    else if (c == '$' || c == '`')
      out.values = joined(out.values, as_one_word(expansion()));
    else if (!accept("\\\n"))
      plain(out);
  }
  out.written = std::string(text_.substr(from, at_ - from));
  return out;
}

void ShellWordReader::plain(Word& out) {
  const std::string_view rest = text_.substr(at_ + 1);
  const bool set = peek() == '[' && rest.find(']') < rest.find_first_of(word_ends);
  if (peek() == '\\' && !rest.empty())
    ++at_;
  else if (peek() == '*' || peek() == '?' || set)
    out.glob = true;
  else if (peek() == ',' && text_of(out).find('{') != none)
    out.values.known = false;  // a{b,c} is two words to some shells
  append(out.values, peek());
  ++at_;
}

void ShellWordReader::home(Values& to) {
  ++at_;
  to = peek() == '/' || at_end_of_word() ? variable("HOME") : Values::unknown();
}

void ShellWordReader::double_quoted(Values& to) {
  while (!done() && peek() != '"') quoted_piece(to);
  if (!accept("\"")) failed_ = true;
}

void ShellWordReader::quoted_piece(Values& to) {
  if (peek() == '$' || peek() == '`') {
    to = joined(to, expansion());
    return;
  }
  if (accept("\\\n")) return;
  if (peek() == '\\' && std::string_view("$`\"\\").find(peek(1)) != none) ++at_;
  append(to, peek());
  ++at_;
}

Values ShellWordReader::expansion() {
  if (accept("`")) return in_backquotes();
  ++at_;  // $
  if (accept("((")) return expand_apart(text_up_to("))")), Values::unknown();
  if (accept("(")) return nested();
  if (accept("{")) return in_braces();
  if (std::string_view("@*#?$!-0123456789").find(peek()) != none && !done())
    return variable(text_.substr(at_++, 1));
  std::size_t length = 0;
  while (at_ + length < text_.size() && is_variable_name(text_.substr(at_, length + 1))) ++length;
  if (length == 0) return {.texts = {"$"}};
  at_ += length;
  return variable(text_.substr(at_ - length, length));
}

Values ShellWordReader::in_backquotes() {
  std::string inner;
  for (; !done() && peek() != '`'; ++at_) {
    if (peek() == '\\' && std::string_view("`$\\").find(peek(1)) != none) ++at_;
    inner += peek();
  }
  if (!accept("`")) failed_ = true;
  return run_apart(inner);
}

// ${NAME}, ${NAME%/*}, ${NAME:-word}; of others only the commands in them are looked at.
Values ShellWordReader::in_braces() {
  const std::size_t from = at_;
  int open = 1;
  for (; open > 0 && !done(); ++at_) {
    if (peek() == '\\') ++at_;
    open += peek() == '{' ? 1 : peek() == '}' ? -1 : 0;
  }
  failed_ = failed_ || open > 0;
  if (failed_) return Values::unknown();
  const std::string_view body = text_.substr(from, at_ - 1 - from);
  std::size_t length = 0;
  while (length < body.size() && is_variable_name("x" + std::string(1, body[length]))) ++length;
  const std::string_view name = body.substr(0, length), rest = body.substr(length);
  Values value = variable(name);
  if (rest.empty() || rest == "[0]") return value;
  if (rest == "%/*" || rest == "[0]%/*") return without_last_part(std::move(value));
  const bool replaces = rest.starts_with(":-") || rest.starts_with('-');
  const Values other = expand_apart(rest.substr(replaces ? rest.find('-') + 1 : 0));
  if (!replaces) return Values::unknown();
  // What nothing here sets is taken for unset.
  value.known = value.known || !scope_->variables.contains(std::string(name));
  value.add(other);
  return value;
}

Values ShellWordReader::variable(std::string_view name) const {
  if (name == "PWD") return scope_->folders;
  const auto found = scope_->variables.find(std::string(name));
  const bool has_none = found == scope_->variables.end() || found->second.texts.empty();
  return has_none ? Values::unknown() : found->second;
}

}  // namespace skein::project
