#include "core/project/command_text.h"

#include "core/permission/shell_words.h"
#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

bool is_blank_char(char c) { return c == ' ' || c == '\t' || c == '\n'; }
bool is_name_char(char c) { return is_alphanumeric(c) || c == '_'; }

// Where quotes are in a command, as far as that can be known without being a shell.
class QuoteState {
 public:
  void take(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) step(text, i);
  }

  enum class In { nothing, single, both_sides };  // both_sides: "…"
  In in() const { return in_; }
  // Substitutions, here-documents and comments have rules of their own.
  bool sure() const { return sure_; }
  static QuoteState unsure() {
    QuoteState state;
    state.sure_ = false;
    return state;
  }

 private:
  void step(std::string_view text, std::size_t& i) {
    const char c = text[i];
    if (in_ == In::single) {
      if (c == '\'') in_ = In::nothing;
      return;
    }
    if (c == '\\') {
      ++i;
      return;
    }
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (c == '`' || (c == '$' && (next == '(' || next == '{' || next == '\'' || next == '"')))
      sure_ = false;
    if (c == '"') in_ = in_ == In::both_sides ? In::nothing : In::both_sides;
    if (in_ == In::both_sides) return;
    if (c == '\'') in_ = In::single;
    if (c == '#' || (c == '<' && next == '<')) sure_ = false;
  }

  In in_ = In::nothing;
  bool sure_ = true;
};

// Means the same to a shell in every position.
bool is_harmless(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return is_name_char(c) || std::string_view("-./:@%+,=^").find(c) != std::string_view::npos;
  });
}

constexpr const char* cannot_quote =
    "this argument cannot be put safely into a command of the file: it holds more than letters and "
    "digits, and the command has a substitution, a comment or an open quote";

// `text` so that a shell takes it as it is, after `before` was said.
std::string quoted_in(const QuoteState& before, std::string_view text) {
  if (text.empty()) return {};
  if (!before.sure()) {
    if (!is_harmless(text)) throw Error(cannot_quote, ExitStatus::usage);
    return std::string(text);
  }
  if (before.in() == QuoteState::In::nothing) return permission::shell_quoted(text);
  const std::string mark = before.in() == QuoteState::In::single ? "'" : "\"";
  return mark + permission::shell_quoted(text) + mark;
}

// What a placeholder means; `many` are words that stay words in a command.
struct Placeholder {
  std::size_t length = 0;  // in the file; 0: there is none
  std::string text{};
  bool many = false;
};

class Filler {
 public:
  Filler(std::string_view body, const CommandValues& values)
      : body_(body),
        values_(values),
        words_(split_words(values.typed)),
        first_(uses("$0") || uses("$ARGUMENTS[") ? 0 : 1) {}

  std::vector<CommandPiece> pieces() {
    for (std::size_t at = 0; at < body_.size();) {
      if (const std::size_t length = fence(at) + inline_command(at); length > 0)
        at += length;
      else
        at += fill(at);
    }
    if (!used_ && !trimmed(values_.typed).empty())
      text_ += (text_.ends_with('\n') ? "\n" : "\n\n") + ("ARGUMENTS: " + values_.typed);
    end_text();
    return std::move(out_);
  }

 private:
  bool uses(std::string_view placeholder) const {
    for (std::size_t at = body_.find(placeholder); at != std::string_view::npos;
         at = body_.find(placeholder, at + 1)) {
      const std::size_t end = at + placeholder.size();
      const bool escaped = at > 0 && body_[at - 1] == '\\';
      if (!escaped && (placeholder.ends_with('[') || end == body_.size() || !is_digit(body_[end])))
        return true;
    }
    return false;
  }

  void end_text() {
    if (!text_.empty()) out_.push_back({false, std::exchange(text_, {})});
  }

  // The command's words are separated from what means arguments before anything is inserted: quotes
  // in an argument say nothing about the command.
  void add_shell(std::string_view command) {
    end_text();
    struct Part {
      std::string words{};
      Placeholder value{};  // behind them
    };
    std::vector<Part> parts(1);
    QuoteState whole;
    for (std::size_t at = 0; at < command.size();) {
      Placeholder found = placeholder(command.substr(at));
      // An escaped dollar sign stays escaped: the backslash is the shell's here.
      const std::size_t length = found.length > 0 ? found.length : command[at] == '\\' ? 2 : 1;
      if (found.length > 0) {
        parts.back().value = std::move(found);
        parts.emplace_back();
      } else {
        parts.back().words += command.substr(at, length);
      }
      at += length;
    }
    for (const Part& part : parts) whole.take(part.words);
    const bool sure = whole.sure() && whole.in() == QuoteState::In::nothing;
    QuoteState state;
    std::string line;
    for (const Part& part : parts) {
      state.take(part.words);
      line += part.words + inserted(sure ? state : QuoteState::unsure(), part.value);
    }
    out_.push_back({true, std::move(line)});
  }

  static std::string inserted(const QuoteState& state, const Placeholder& value) {
    if (!value.many || state.in() != QuoteState::In::nothing) return quoted_in(state, value.text);
    return listed(split_words(value.text), " ",
                  [&](const std::string& word) { return quoted_in(state, word); });
  }

  // ```! to the next ``` at the beginning of a line; the length of it all, 0: none begins here.
  std::size_t fence(std::size_t at) {
    constexpr std::string_view opening = "```!", closing = "\n```";
    if ((at > 0 && body_[at - 1] != '\n') || !body_.substr(at).starts_with(opening)) return 0;
    const std::size_t line_end = body_.find('\n', at);
    if (line_end == std::string_view::npos) return 0;
    const std::size_t end = body_.find(closing, line_end);
    if (end == std::string_view::npos) return 0;
    add_shell(trimmed(body_.substr(line_end, end - line_end), "\n"));
    const std::size_t after = body_.find('\n', end + 1);
    return (after == std::string_view::npos ? body_.size() : after) - at;
  }

  // !`command` after white space.
  std::size_t inline_command(std::size_t at) {
    if ((at > 0 && !is_blank_char(body_[at - 1])) || !body_.substr(at).starts_with("!`")) return 0;
    const std::size_t end = body_.find_first_of("`\n", at + 2);
    if (end == std::string_view::npos || body_[end] != '`') return 0;
    const std::string_view command = trimmed(body_.substr(at + 2, end - at - 2));
    if (command.empty()) return 0;
    add_shell(command);
    return end + 1 - at;
  }

  // Adds what is at `at` to the text; how much was read.
  std::size_t fill(std::size_t at) {
    const bool escaped = body_.substr(at).starts_with("\\$");
    const Placeholder found = escaped ? Placeholder{} : placeholder(body_.substr(at));
    text_ += found.length > 0 ? found.text : std::string(1, escaped ? '$' : body_[at]);
    return escaped ? 2 : std::max<std::size_t>(found.length, 1);
  }

  // The one `text` begins with.
  Placeholder placeholder(std::string_view text) {
    if (!text.starts_with('$') || text.size() < 2) return {};
    if (text[1] == '{') return braced(text);
    const bool number = is_digit(text[1]);
    std::size_t end = 1;
    while (end < text.size() && (number ? is_digit(text[end]) : is_name_char(text[end]))) ++end;
    const std::string_view name = text.substr(1, end - 1);
    if (number) return numbered(name, end);
    if (name == "ARGUMENTS") return all_arguments(text, end);
    const auto known = std::ranges::find(values_.names, name);
    if (known == values_.names.end()) return {};
    used_ = true;
    return {end, word(static_cast<std::size_t>(known - values_.names.begin()))};
  }

  // $ARGUMENTS, which ends at `end`, or $ARGUMENTS[1].
  Placeholder all_arguments(std::string_view text, std::size_t end) {
    const std::size_t close = text.find(']');
    if (text.substr(end).starts_with('[') && close != std::string_view::npos) {
      const std::string_view digits = text.substr(end + 1, close - end - 1);
      if (!digits.empty() && std::ranges::all_of(digits, is_digit))
        return numbered(digits, close + 1);
    }
    used_ = true;
    return {end, values_.typed, true};
  }

  // ${1:-text}, ${SKEIN_SESSION_ID} and its like.
  Placeholder braced(std::string_view text) {
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return {};
    const std::string_view inner = text.substr(2, close - 2);
    const std::size_t colon = inner.find(":-");
    const std::string_view name = inner.substr(0, std::min(colon, inner.size()));
    if (!name.empty() && std::ranges::all_of(name, is_digit)) {
      Placeholder out = numbered(name, close + 1);
      if (out.length > 0 && out.text.empty() && colon != std::string_view::npos)
        out.text = inner.substr(colon + 2);
      return out;
    }
    for (const std::string_view prefix : {"SKEIN_", "CLAUDE_"}) {
      if (!inner.starts_with(prefix)) continue;
      const std::string_view rest = inner.substr(prefix.size());
      if (rest == "SESSION_ID") return {close + 1, values_.session};
      if (rest == "SKILL_DIR") return {close + 1, values_.skill_folder};
      if (rest == "PROJECT_DIR") return {close + 1, values_.project_folder};
    }
    return {};
  }

  Placeholder numbered(std::string_view digits, std::size_t length) {
    if (digits.size() > 3) return {};  // no argument, an amount
    const std::size_t number = *parse_number<std::size_t>(digits);
    used_ = true;
    return {length, number >= first_ ? word(number - first_) : ""};
  }

  std::string word(std::size_t index) const { return index < words_.size() ? words_[index] : ""; }

  std::string_view body_;
  const CommandValues& values_;
  std::vector<std::string> words_;
  std::size_t first_;
  bool used_ = false;  // the file says where its arguments go
  std::string text_{};
  std::vector<CommandPiece> out_{};
};

}  // namespace

std::vector<CommandPiece> fill_in(std::string_view body, const CommandValues& values) {
  // Line ends of other systems would be part of commands and paths.
  const std::string plain = unix_lines(body);
  return Filler(trimmed(plain, "\n"), values).pieces();
}

std::vector<std::string> split_words(std::string_view typed) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = '\0';
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const char c = typed[i];
    if (quote == '\0' && is_blank_char(c)) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    if (!word) word.emplace();
    if (c == quote)
      quote = '\0';
    else if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < typed.size())
      *word += typed[++i];
    else
      *word += c;
  }
  if (word) words.push_back(std::move(*word));
  return words;
}

}  // namespace skein::project
