#include "core/permission/shell_words.h"

#include <algorithm>
#include <utility>

#include "core/text/base.h"

namespace skein::permission {

namespace {

constexpr std::string_view reserved[] = {
    "!",    "[[", "]]",  "{",        "}",  "case", "coproc", "do",   "done", "elif",  "else",
    "esac", "fi", "for", "function", "if", "in",   "select", "then", "time", "until", "while"};

struct Meaning {
  std::string_view characters, doubt;
};
// What an unquoted character would start.
constexpr Meaning special[] = {{"$", "an expansion"},
                               {"`", "a command substitution"},
                               {"()", "a group or function"},
                               {"{}", "braces"},
                               {"!", "a `!`"}};

class Reader {
 public:
  Reader(std::string_view line, Globs globs) : rest_(line), globs_(globs) {}

  ShellLine read() {
    while (doubt_.empty() && !rest_.empty()) step();
    end_command();
    if (doubt_.empty() && joined_) doubt_ = "a joint with nothing behind it";
    if (doubt_.empty() && commands_.empty()) doubt_ = "nothing to run";
    return {std::move(commands_), std::move(doubt_)};
  }

 private:
  void doubt(std::string_view why) {
    if (doubt_.empty()) doubt_ = why;
  }

  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void step() {
    const char c = rest_[0];
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ' || c == '\t') return end_word(1);
    if (c == '\n') return end_command(1);
    if (byte < ' ' || byte == 0x7F) return doubt("a control character");
    if (byte >= 0x80) return doubt("a character outside ASCII that is not quoted");
    if (c == '\'') return single_quoted();
    if (c == '"') return double_quoted();
    if (c == '\\') return escaped();
    if (c == '>' || c == '<' || rest_.starts_with("&>")) return redirection();
    if (c == ';' || c == '|' || c == '&') return joint();
    if (c == '#' && !in_word_) return doubt("a comment");
    // HEAD~1 is itself; ~, a=~ and a:~ are home folders.
    if (c == '~' && (word_.text.empty() || word_.text.ends_with('=') || word_.text.ends_with(':')))
      return doubt("a home folder");
    for (const Meaning& each : special)
      if (each.characters.find(c) != std::string_view::npos) return doubt(each.doubt);
    const bool glob = globs_ == Globs::of_files && (c == '*' || c == '?' || c == '[');
    // What a glob finds could be an option, a subcommand or the command itself; behind a slash it
    // can only be a file.
    const bool file = word_.text.find('/') != std::string::npos && word_.text[0] != '-';
    if (glob && (command_.empty() || !file)) return doubt("a glob that may find more than files");
    if (c == '=' && command_.empty()) return doubt("an assignment");
    put(c, '.');
    rest_.remove_prefix(1);
  }

  void put(char c, char how) {
    word_.text += c;
    word_.literal += how;
    in_word_ = true;
  }

  void single_quoted() {
    const std::size_t end = rest_.find('\'', 1);
    if (end == std::string_view::npos) return doubt("a quote that is not closed");
    quoted(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
  }

  void double_quoted() {
    rest_.remove_prefix(1);
    std::string text;
    while (!rest_.empty() && rest_[0] != '"') {
      if (rest_[0] == '$' || rest_[0] == '`') return doubt("an expansion in quotes");
      if (rest_.size() > 1 && rest_[0] == '\\') {
        if (rest_[1] == '\n') return doubt("a continued line");
        if (std::string_view("$`\"\\").find(rest_[1]) == std::string_view::npos) text += '\\';
        rest_.remove_prefix(1);
      }
      text += rest_[0];
      rest_.remove_prefix(1);
    }
    if (!accept("\"")) return doubt("a quote that is not closed");
    quoted(text);
  }

  void quoted(std::string_view text) {
    const bool control = std::ranges::any_of(text, [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return (byte < ' ' && c != '\n' && c != '\t') || byte == 0x7F;
    });
    if (control) return doubt("a control character");
    if (!is_valid_utf8(text)) return doubt("bytes that are not UTF-8");
    if (command_.empty() && text.find('\n') != std::string_view::npos)
      return doubt("a line end in the command's name");
    in_word_ = true;  // '' is a word, too
    for (const char c : text) put(c, 'q');
  }

  void escaped() {
    if (rest_.size() < 2) return doubt("a backslash at the end");
    const char c = rest_[1];
    if (c <= ' ' && c != ' ') return doubt("a continued line");
    if (c > '~' || c < ' ') return doubt("a character outside ASCII that is not quoted");
    put(c, 'q');
    rest_.remove_prefix(2);
  }

  // Only those that write to no file: the rest asks.
  void redirection() {
    const bool numbered = word_.text == "0" || word_.text == "1" || word_.text == "2";
    const bool number_in_front = in_word_ && numbered && word_.literal == ".";
    if (in_word_ && !number_in_front) end_word(0);
    if (command_.empty()) return doubt("a redirection before the command");
    for (const std::string_view harmless :
         {">&1", ">&2", "&>/dev/null", ">/dev/null", "> /dev/null", "</dev/null", "< /dev/null"}) {
      if (!rest_.starts_with(harmless)) continue;
      const std::string_view after = rest_.substr(harmless.size());
      if (!after.empty() && std::string_view(" \t\n;|").find(after[0]) == std::string_view::npos)
        break;  // >/dev/null/x, >&12
      if (harmless[0] == '&' && number_in_front) break;
      word_ = {};
      in_word_ = false;
      rest_ = after;
      return;
    }
    doubt("a redirection");
  }

  void joint() {
    if (accept("&&") || accept("||")) return join(true);
    if (accept("|&")) return doubt("a redirection");
    if (accept("|")) return join(true);
    if (accept(";;") || rest_.starts_with("&")) return doubt("something in the background");
    rest_.remove_prefix(1);  // ;
    join(false);
  }

  void join(bool needs_more) {
    end_word(0);
    if (command_.empty()) return doubt("a joint without a command");
    end_command();
    joined_ = needs_more;
  }

  void end_word(std::size_t skip) {
    rest_.remove_prefix(skip);
    if (!in_word_) return;
    if (command_.empty()) {
      if (word_.text.empty()) doubt("an empty command name");
      const bool plain = word_.literal.find('q') == std::string::npos;
      if (plain && std::ranges::count(reserved, word_.text) > 0) doubt("a reserved word");
    }
    command_.push_back(std::exchange(word_, {}));
    in_word_ = false;
  }

  void end_command(std::size_t skip = 0) {
    rest_.remove_prefix(skip);
    end_word(0);
    if (command_.empty()) return;
    commands_.push_back(std::exchange(command_, {}));
    joined_ = false;
  }

  std::string_view rest_;
  Globs globs_;
  std::vector<SimpleCommand> commands_;
  SimpleCommand command_;
  ShellWord word_;
  bool in_word_ = false;
  bool joined_ = false;  // a joint that needs a command after it was the last thing read
  std::string doubt_;
};

}  // namespace

ShellLine parse_shell_line(std::string_view line, Globs globs) {
  return Reader(line, globs).read();
}

std::string shell_quoted(std::string_view text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:@%+").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace skein::permission
