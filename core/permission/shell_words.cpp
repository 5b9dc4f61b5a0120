#include "core/permission/shell_words.h"

#include "core/shell/walk.h"
#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::permission {

namespace {

constexpr std::string_view reserved[] = {
    "!",    "[[", "]]",  "{",        "}",  "case", "coproc", "do",   "done", "elif",  "else",
    "esac", "fi", "for", "function", "if", "in",   "select", "then", "time", "until", "while"};

struct SpecialCharacters {
  std::string_view characters, doubt;
};
// What an unquoted character would start.
constexpr SpecialCharacters special[] = {{"$", "an expansion"},
                                         {"`", "a command substitution"},
                                         {"()", "a group or function"},
                                         {"{}", "braces"},
                                         {"!", "a `!`"}};

class ShellLineReader {
 public:
  ShellLineReader(std::string_view line, Globs globs) : rest_(line), globs_(globs) {}

  ShellLine read() {
    while (doubt_.empty() && !rest_.empty()) step();
    end_command();
    if (doubt_.empty() && joined_) doubt_ = "an operator with nothing after it";
    if (doubt_.empty() && commands_.empty()) doubt_ = "nothing to run";
    return {std::move(commands_), std::move(settings_), std::move(doubt_)};
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
    if (accept(" ") || accept("\t")) return end_word();
    if (accept("\n")) return end_command();
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
    for (const SpecialCharacters& each : special)
      if (each.characters.find(c) != std::string_view::npos) return doubt(each.doubt);
    const bool glob = globs_ == Globs::of_files && (c == '*' || c == '?' || c == '[');
    // What a glob finds could be an option, a subcommand or the command itself; behind a slash it
    // can only be a file.
    const bool file = word_.text.find('/') != std::string::npos && word_.text[0] != '-';
    if (glob && (command_.empty() || !file || !sign_.empty()))
      return doubt("a glob that may find more than files");
    if (c == '=' && command_.empty() && !assigns_) {
      if (!is_variable(word_)) return doubt("an assignment");
      assigns_ = true;
    }
    put(c, '.');
    rest_.remove_prefix(1);
  }

  static bool is_variable(const ShellWord& word) {
    return shell::is_variable_name(word.text) && word.literal.find('q') == std::string::npos;
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
    if (command_.empty() && !assigns_ && text.find('\n') != std::string_view::npos)
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

  void redirection() {
    const bool numbered = !word_.text.empty() && word_.literal.find('q') == std::string::npos &&
                          word_.text.find_first_not_of("0123456789") == std::string::npos;
    if (in_word_ && !numbered) end_word();
    const std::string number = numbered ? word_.text : "";
    if (command_.empty() || !sign_.empty()) return doubt("a redirection before the command");
    if (number.size() > 1 || number > "2") return doubt("a redirection");
    word_ = {};
    in_word_ = false;
    if (is_harmless_redirection(numbered)) return;
    const std::string_view sign = accept("&>")   ? "&>"
                                  : accept(">>") ? ">>"
                                  : accept(">")  ? ">"
                                                 : "<";
    if (sign == "<") rest_.remove_prefix(1);
    const std::string_view usual = sign == "<" ? "0" : sign == "&>" ? "" : "1";
    const bool odd = sign == ">" || sign == ">>" ? number == "0" : numbered && number != usual;
    if (odd || (!rest_.empty() && std::string_view("<>&|(").find(rest_[0]) < 5))
      return doubt("a redirection");
    sign_ = (number == usual ? "" : number) + std::string(sign);
    while (accept(" ") || accept("\t")) {
    }
  }

  // Those that read or write no file.
  bool is_harmless_redirection(bool numbered) {
    for (const std::string_view harmless :
         {">&1", ">&2", "&>/dev/null", ">/dev/null", "> /dev/null", "</dev/null", "< /dev/null"}) {
      if (!rest_.starts_with(harmless)) continue;
      const std::string_view after = rest_.substr(harmless.size());
      if (!after.empty() && std::string_view(" \t\n;|").find(after[0]) == std::string_view::npos)
        return false;  // >/dev/null/x, >&12
      if (harmless[0] == '&' && numbered) return false;
      rest_ = after;
      return true;
    }
    return false;
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
    end_word();
    if (command_.empty()) return doubt("an operator without a command");
    end_command();
    joined_ = needs_more;
  }

  void end_word() {
    if (!in_word_) return;
    in_word_ = false;
    const ShellWord word = std::exchange(word_, {});
    if (!sign_.empty()) {
      if (word.text.empty()) doubt("a redirection to nothing");
      setting_.redirections.push_back({std::exchange(sign_, {}), word.text});
      return;
    }
    if (std::exchange(assigns_, false)) {
      setting_.variables.push_back(word.text);
      return;
    }
    if (command_.empty()) {
      if (word.text.empty()) doubt("an empty command name");
      const bool plain = word.literal.find('q') == std::string::npos;
      if (plain && std::ranges::count(reserved, word.text) > 0) doubt("a reserved word");
    }
    command_.push_back(word);
  }

  void end_command() {
    end_word();
    if (!sign_.empty()) doubt("a redirection to nothing");
    // A variable that is set by itself holds for all that follows.
    if (command_.empty() && !setting_.variables.empty()) doubt("an assignment");
    if (command_.empty()) return;
    commands_.push_back(std::exchange(command_, {}));
    settings_.push_back(std::exchange(setting_, {}));
    joined_ = false;
  }

  std::string_view rest_;
  Globs globs_;
  std::vector<SimpleCommand> commands_;
  std::vector<CommandSetting> settings_;
  SimpleCommand command_;
  CommandSetting setting_;
  std::string sign_;  // of a redirection whose file comes next
  ShellWord word_;
  bool in_word_ = false;
  bool assigns_ = false;  // the word sets a variable
  bool joined_ = false;   // a joint that needs a command after it was the last thing read
  std::string doubt_;
};

}  // namespace

ShellLine parse_shell_line(std::string_view line, Globs globs) {
  return ShellLineReader(line, globs).read();
}

std::size_t find_unquoted(const ShellWord& word, std::string_view any) {
  std::size_t at = word.text.find_first_of(any);
  while (at != std::string::npos && word.literal[at] != '.')
    at = word.text.find_first_of(any, at + 1);
  return at;
}

std::string shell_quoted(std::string_view text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || std::string_view("_-./:@%+").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace skein::permission
