#include "core/shell/program_reader.h"

#include "core/text/std.h"

#include "core/text/text.h"

namespace skein::shell {

namespace {

// NAME=value
bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals > 0 && equals != std::string_view::npos && word.find_first_of("/$-") > equals;
}

// Whether one of `options` is this word, or the last of several letters behind one dash: -ec.
bool is_option(std::string_view options, std::string_view word) {
  if (word.size() > 2 && word[0] == '-' && word[1] != '-')
    return has_word(options, std::string("-") + word.back());
  return !word.empty() && has_word(options, word);
}

// "--chdir" and its value, which is the next word or behind a `=`; an empty word: there is none.
std::pair<std::string_view, ShellCall::Word> option_in(ShellWords words) {
  const std::string_view word = text_of(words[0]);
  const std::size_t equals = word.find('=');
  if (!word.starts_with("--") || equals == std::string_view::npos)
    return {word, words.size() > 1 ? words[1] : ShellCall::Word{}};
  const std::string value(word.substr(equals + 1));
  return {word.substr(0, equals), ShellCall::Word{.written = value, .values = {.texts = {value}}}};
}

// The words with those left open that find and xargs fill in.
std::vector<ShellCall::Word> filled_in(ShellWords words) {
  std::vector<ShellCall::Word> out(words.begin(), words.end());
  for (ShellCall::Word& word : out)
    if (text_of(word).find("{}") != std::string_view::npos) word.values = Values::unknown();
  return out;
}

// cd. It may fail, so what runs after it may also run where it ran before.
void change_folder(ShellWords arguments, ShellScope& scope) {
  while (!arguments.empty() && has_word("-P -L -e -@ --", text_of(arguments[0])))
    arguments = arguments.subspan(1);
  if (!arguments.empty() && text_of(arguments[0]) == "-") return;  // it has been there
  Values to = arguments.empty() ? scope.variables["HOME"] : arguments[0].values;
  if (to.texts.empty() || (!arguments.empty() && arguments[0].glob)) to.known = false;
  Values folders = scope.folders;
  folders.known = folders.known && to.known;
  for (const std::string& text : to.texts)
    for (const std::string& from : scope.folders.texts) {
      const std::filesystem::path path = text.starts_with('/') ? text : from + "/" + text;
      std::string plain = path.lexically_normal().string();
      if (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
      folders.add({.texts = {plain}});
    }
  scope.folders = folders;
}

// read, unset and so on: the values are not known beforehand.
void forget_variables(ShellWords arguments, ShellScope& scope) {
  for (const ShellCall::Word& word : arguments) {
    for (const std::string& name : word.values.texts) scope.variables[name].add(Values::unknown());
    if (word.values.known) continue;
    for (auto& [name, values] : scope.variables) values.known = false;
  }
}

// What dirname and echo print.
Values parent_folders(ShellWords arguments) {
  if (arguments.empty()) return Values::unknown();
  Values out = arguments.back().values;
  for (std::string& text : out.texts)
    text = text.find('/') == std::string::npos ? "." : text.substr(0, text.rfind('/'));
  return out;
}

Values words_printed(ShellWords arguments) {
  if (!arguments.empty() && text_of(arguments[0]) == "-n") arguments = arguments.subspan(1);
  if (!arguments.empty() && text_of(arguments[0]).starts_with('-')) return Values::unknown();
  Values out{.texts = {""}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) out = joined(out, {.texts = {" "}});
    out = joined(out, arguments[i].values);
    out.known = out.known && !arguments[i].glob;
  }
  return out;
}

using Runs = KnownProgram::Runs;

constexpr int most_commands = 20'000, deepest = 30;  // against what calls itself

}  // namespace

void ProgramReader::read_text(std::string_view text, ShellScope& scope) {
  const std::string_view line = trimmed(text.substr(0, text.find('\n')));
  const bool too_much = ++depth_ > deepest || commands_ > most_commands;
  const auto visit = [this](const ShellCall& call, ShellScope& now) { return command(call, now); };
  if (too_much || !walk_shell(text, scope, visit).understood) cannot_follow(line);
  --depth_;
}

Values ProgramReader::command(const ShellCall& call, ShellScope& scope) {
  if (++commands_ > most_commands) return cannot_follow("…"), Values::unknown();
  for (const auto& [name, value] : call.assignments) {
    const Values values = value.glob ? matches(value, scope) : value.values;
    assigned(name, values, !call.words.empty());
    scope.variables[name].add(values);
  }
  if (call.words.empty()) return Values{.texts = {""}};
  const ShellCall* const outer = std::exchange(call_, &call);
  Values printed = program(call.words, scope);
  call_ = outer;
  return printed;
}

// The program that the first word names, with the others as its arguments.
Values ProgramReader::program(ShellWords words, ShellScope& scope) {
  if (words.empty()) return Values::unknown();
  const Values names = words[0].glob ? matches(words[0], scope) : words[0].values;
  if (!names.known) cannot_follow(words[0].written);
  Values printed{.known = names.known};
  for (const std::string& name : names.texts) printed.add(started(name, words, scope));
  return printed;
}

Values ProgramReader::follow(const KnownProgram& known, ShellWords words, ShellScope& scope) {
  const ShellWords rest = words.subspan(1);
  const Values printed_nothing{.texts = {""}};
  switch (known.runs) {
    case Runs::program:
    case Runs::program_for_each: return wrapped(known, words, scope);
    case Runs::found: run_found(rest, scope); break;
    case Runs::shell_text: run_words(rest, scope); break;
    case Runs::trap: run_words(rest.first(std::min<std::size_t>(rest.size(), 1)), scope); break;
    case Runs::sourced:
      if (!rest.empty()) run_file(rest, known, scope);
      break;
    case Runs::shell:
    case Runs::python:
    case Runs::node:
    case Runs::script:
    case Runs::awk: interpreted(known, words, scope); break;
    case Runs::folder: return change_folder(rest, scope), printed_nothing;
    case Runs::variables: return set(rest, scope), printed_nothing;
    case Runs::forgets: forget_variables(rest, scope); break;
    case Runs::forgets_arguments: return forget_arguments(scope), printed_nothing;
    case Runs::prints_folder: return scope.folders;
    case Runs::prints_parent: return parent_folders(rest);
    case Runs::prints_path: return rest.empty() ? Values::unknown() : rest.back().values;
    case Runs::prints_words: return words_printed(rest);
    case Runs::nothing:
    case Runs::project:
    case Runs::git: break;
  }
  return Values::unknown();
}

// export, local and so on.
void ProgramReader::set(ShellWords words, ShellScope& scope) {
  for (const Word& word : words) {
    if (!is_assignment(word.written)) continue;
    const std::string name = word.written.substr(0, word.written.find('='));
    Values value = word.values;
    for (std::string& text : value.texts) text.erase(0, std::min(text.size(), name.size() + 1));
    scope.variables[name].add(value);
    assigned(name, scope.variables[name], /*exported=*/true);
  }
}

void ProgramReader::run_script(std::string_view text, ShellWords words, const ShellScope& scope) {
  ShellScope own{
      .folders = scope.folders, .variables = scope.variables, .assumes_usual = scope.assumes_usual};
  for (std::size_t i = 0; i < 10; ++i)
    own.variables[std::to_string(i)] = i < words.size() ? words[i].values : Values{.texts = {""}};
  own.variables["BASH_SOURCE"] = own.variables["0"];
  read_text(text, own);
}

// An interpreter: its options, then a script, or else standard input.
void ProgramReader::interpreted(const KnownProgram& by, ShellWords words, ShellScope& scope) {
  for (ShellWords rest = words.subspan(1); !rest.empty(); rest = rest.subspan(1)) {
    const std::string_view word = text_of(rest[0]);
    const ShellWords next = rest.subspan(1);
    const auto is = [&](std::string_view options) {
      return !next.empty() && is_option(options, word);
    };
    if (by.runs == Runs::python && word.starts_with("-m"))
      return run_module(word.size() > 2 || next.empty() ? word.substr(2) : text_of(next[0]), by,
                        scope);
    if (is(by.options.texts)) return inline_text(by, next, scope);
    if (is(by.options.files))
      run_file(next, by.runs == Runs::shell ? *known_program(".") : by, scope);
    if (word == "-") break;
    if (is(by.options.files) || is(by.options.valued))
      rest = next;
    else if (!word.starts_with('-') && !word.starts_with('+'))
      return by.runs == Runs::awk ? inline_text(by, rest, scope) : run_file(rest, by, scope);
  }
  standard_input(by, words, scope);
}

void ProgramReader::inline_text(const KnownProgram& by, ShellWords words, ShellScope& scope) {
  if (!words[0].values.known) cannot_follow(words[0].written);
  for (const std::string& text : words[0].values.texts) run_text(by, text, words.subspan(1), scope);
}

void ProgramReader::standard_input(const KnownProgram& by, ShellWords words, ShellScope& scope) {
  if (call_->document && call_->document->known)
    inline_text(by, std::vector{Word{.values = *call_->document}}, scope);
  else if (call_->input && !call_->piped)
    run_file(std::vector{*call_->input}, by, scope);
  else
    cannot_follow(words[0].written);
}

// The options and operands of a program that runs another one, then that one.
Values ProgramReader::wrapped(const KnownProgram& by, ShellWords words, ShellScope& scope) {
  ShellScope inner = scope;
  int operands = by.operands;
  ShellWords rest = words.subspan(1);
  for (; !rest.empty(); rest = rest.subspan(1)) {
    const std::string_view word = text_of(rest[0]);
    const auto [option, value] = option_in(rest);
    if (has_word(by.options.queries, option)) return starts_another(by, words), Values::unknown();
    if (is_option(by.options.texts, option) && !value.written.empty())
      return starts_another(by, words), run_words(std::vector{value}, inner), Values::unknown();
    if (has_word(by.options.folders, option)) change_folder(std::vector{value}, inner);
    if (has_word(by.options.folders, word) || has_word(by.options.valued, word))
      rest = rest.subspan(1);
    else if (is_assignment(rest[0].written))
      set(rest.first(1), inner);
    else if (!word.starts_with('-') && operands-- <= 0)
      break;
    if (rest.empty()) break;
  }
  starts_another(by, words.first(words.size() - rest.size()));
  if (by.runs == Runs::program || rest.empty()) return program(rest, inner);
  std::vector<Word> filled = filled_in(rest);
  filled.push_back({.written = "…", .values = Values::unknown()});
  return program(filled, inner);
}

void ProgramReader::run_found(ShellWords words, const ShellScope& scope) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string_view word = text_of(words[i]);
    if (word.empty() || !has_word("-exec -execdir -ok -okdir", word)) continue;
    const ShellWords rest = words.subspan(i + 1);
    std::size_t length = 0;
    const auto ends = [&](std::size_t at) {
      return text_of(rest[at]) == ";" ||
             (text_of(rest[at]) == "+" && at > 0 && text_of(rest[at - 1]) == "{}");
    };
    while (length < rest.size() && !ends(length)) ++length;
    ShellScope inner = scope;
    if (word.ends_with("dir")) inner.folders.known = false;
    program(filled_in(rest.first(length)), inner);
  }
}

// eval, trap, flock -c
void ProgramReader::run_words(ShellWords words, ShellScope& scope) {
  Values text{.texts = {""}};
  for (const Word& word : words) text = joined(joined(text, word.values), {.texts = {" "}});
  if (!text.known) cannot_follow(words[0].written);
  for (const std::string& each : text.texts) read_text(each, scope);
}

}  // namespace skein::shell
