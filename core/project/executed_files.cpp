#include "core/project/executed_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/project/command_text.h"
#include "core/project/found_files.h"
#include "core/project/known_programs.h"
#include "core/project/module_files.h"
#include "core/project/shell_builtins.h"
#include "core/project/shell_walk.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

using Runs = KnownProgram::Runs;
using Word = ShellCall::Word;

constexpr int most_calls = 20'000, deepest_call = 30;  // against what calls itself

// What a script finds when it is run: the same script may run other files the next time.
std::string arguments_as_text(ShellWords words, const ShellScope& scope) {
  std::string out;
  const auto add = [&](const Values& values) {
    for (const std::string& text : values.texts) out += text + "\n";
    out += values.known ? "\t" : "?\t";
  };
  add(scope.folders);
  for (const Word& word : words) add(word.values);
  for (const auto& [name, values] : scope.variables) add(values);
  return out;
}

class CommandReader {
 public:
  CommandReader(const Places& places, Author author)
      : found_(places, author), workspace_(places.workspace), author_(author) {
    for (const std::string_view each : split(std::string_view(path_), ':')) {
      const std::string folder =
          (each.starts_with('/') ? "" : workspace_ + "/") + std::string(each);
      if (found_.is_inside(plain_path(folder + "/."))) folders_in_path_.push_back(folder);
    }
  }

  void take(std::string_view command) {
    ShellScope scope{.folders = {.texts = {workspace_}}};
    for (const char* name : {"SKEIN_PROJECT_DIR", "CLAUDE_PROJECT_DIR"})
      scope.variables[name] = {.texts = {workspace_}};
    scope.variables["PATH"] = {.texts = {path_}};
    if (const std::string& home = found_.places().home; !home.empty())
      scope.variables["HOME"] = {.texts = {home}};
    shell_text(command, scope);
  }

  ExecutedFiles result() { return found_.result(); }

 private:
  void shell_text(std::string_view text, ShellScope& scope) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    const bool too_much = ++depth_ > deepest_call || commands_ > most_calls;
    const auto visit = [this](const ShellCall& call, ShellScope& now) {
      return command(call, now);
    };
    if (too_much || !walk_shell(text, scope, visit).understood) found_.cannot_follow(line);
    --depth_;
  }

  Values command(const ShellCall& call, ShellScope& scope) {
    if (++commands_ > most_calls)
      return found_.cannot_follow(call.words[0].written), Values::unknown();
    for (const ShellCall::Assignment& each : call.assignments) {
      check_variable(each.name, each.value.values);
      scope.variables[each.name].add(each.value.values);
    }
    return program(call.words, call, scope);
  }

  void check_variable(std::string_view name, const Values& value) {
    if (!is_search_path(name)) return;
    bool outside = value.known;
    for (const std::string& text : value.texts)
      for (const std::string_view part : split(std::string_view(text), ':'))
        outside = outside && part.starts_with('/') && !found_.is_inside(std::string(part) + "/");
    if (!outside) found_.cannot_follow(std::string(name) + "=");
  }

  // The program that the first word names, with the others as its arguments.
  Values program(ShellWords words, const ShellCall& call, ShellScope& scope) {
    if (words.empty()) return Values::unknown();
    Values printed{.known = words[0].values.known && !words[0].glob};
    for (const std::string& name : names_in(words[0], scope))
      printed.add(program(name, words, call, scope));
    return printed;
  }

  Values program(const std::string& name, ShellWords words, const ShellCall& call,
                 ShellScope& scope) {
    if (scope.functions.contains(name)) return Values::unknown();
    const bool of_project = name.find('/') == std::string::npos
                                ? found_in_path(name, words, scope)
                                : any_script(name, words, nullptr, scope);
    if (const KnownProgram* known = known_program(last_name(name))) {
      // What belongs to it is in the project too, as in .venv.
      if (of_project && known->runs != Runs::nothing) found_.cannot_follow(words[0].written);
      return run(*known, words, call, scope);
    }
    if (!of_project && author_ == Author::project) found_.cannot_follow(words[0].written);
    return Values::unknown();
  }

  bool found_in_path(const std::string& name, ShellWords words, ShellScope& scope) {
    bool found = false;
    for (const std::string& folder : folders_in_path_) {
      found_.add_folder(folder);
      found = (access((folder + "/" + name).c_str(), F_OK) == 0 &&
               script(folder + "/" + name, words, nullptr, scope)) ||
              found;
    }
    return found;
  }

  Values run(const KnownProgram& known, ShellWords words, const ShellCall& call,
             ShellScope& scope) {
    const ShellWords rest = words.subspan(1);
    const Values printed_nothing{.texts = {""}};
    switch (known.runs) {
      case Runs::nothing: check_arguments(words); break;
      case Runs::project: found_.cannot_follow(words[0].written); break;
      case Runs::program:
      case Runs::program_for_each: return wrapped(known, words, call, scope);
      case Runs::found: run_found(rest, call, scope); break;
      case Runs::shell_text: shell_words(rest, scope); break;
      case Runs::trap: shell_words(rest.first(std::min<std::size_t>(rest.size(), 1)), scope); break;
      case Runs::sourced: any_script(rest, &known, scope); break;
      case Runs::shell:
      case Runs::python:
      case Runs::node:
      case Runs::script:
      case Runs::awk: interpreted(known, words, call, scope); break;
      case Runs::git:
        check_arguments(words);
        if (!rest.empty() && text_of(rest.back()) == "--show-toplevel")
          return {.texts = {found_.places().root()}};
        break;
      case Runs::folder: return change_folder(rest, scope), printed_nothing;
      case Runs::variables: return variables(rest, scope), printed_nothing;
      case Runs::forgets: forget_variables(rest, scope); break;
      case Runs::forgets_arguments: return forget_arguments(scope), printed_nothing;
      case Runs::prints_folder: return scope.folders;
      case Runs::prints_parent: return parent_folders(rest);
      case Runs::prints_path: return rest.empty() ? Values::unknown() : rest.back().values;
    }
    return Values::unknown();
  }

  void check_arguments(ShellWords words) {
    for (const Word& word : words.subspan(1))
      if (runs_by_argument(last_name(text_of(words[0])), text_of(word)))
        found_.cannot_follow(words[0].written + " " + word.written);
  }

  void variables(ShellWords words, ShellScope& scope) {
    for (const Word& word : words) {
      const std::string name = word.written.substr(0, word.written.find('='));
      set_variables(std::vector{word}, scope);
      if (is_assignment(word.written)) check_variable(name, scope.variables[name]);
    }
  }

  // All that a word may name; a pattern names the files that match it now.
  std::vector<std::string> names_in(const Word& word, const ShellScope& scope) {
    if (!word.values.known) found_.cannot_follow(word.written);
    if (!word.glob) return word.values.texts;
    std::vector<std::string> out;
    if (!scope.folders.known) found_.cannot_follow(word.written);
    for (const std::string& pattern : word.values.texts)
      for (const std::string& folder : scope.folders.texts)
        std::ranges::move(found_.add_matches(folder, pattern), std::back_inserter(out));
    return out;
  }

  // Where a name leads from each folder that a command may be in.
  std::vector<std::string> paths(const std::string& name, const ShellScope& scope) {
    if (name.starts_with('/')) return {name};
    if (!scope.folders.known) found_.cannot_follow(name);
    std::vector<std::string> out;
    for (const std::string& folder : scope.folders.texts) out.push_back(folder + "/" + name);
    return out;
  }

  bool any_script(const std::string& name, ShellWords words, const KnownProgram* by,
                  ShellScope& scope) {
    bool found = false;
    for (const std::string& path : paths(name, scope))
      found = script(path, words, by, scope) || found;
    return found;
  }
  // The one that the first word names.
  void any_script(ShellWords words, const KnownProgram* by, ShellScope& scope) {
    if (words.empty()) return;
    for (const std::string& name : names_in(words[0], scope)) any_script(name, words, by, scope);
  }

  // A file that `by` runs, or that says itself what runs it. False: it is outside of the project.
  bool script(const std::string& path, ShellWords words, const KnownProgram* by,
              ShellScope& scope) {
    const std::optional<std::string> real = found_.add(path);
    if (!real) return found_.is_inside(plain_path(path));
    if (!read_.insert({*real, python_top_, arguments_as_text(words, scope)}).second) return true;
    const std::optional<std::string> text = script_text(*real);
    const std::string outer = found_.read_from(*real);
    const std::string top = by == nullptr ? std::exchange(python_top_, "") : python_top_;
    const Author author = std::exchange(author_, Author::project);
    if (by == nullptr && text) by = interpreter_of(*text);
    if (by == nullptr || !text)
      found_.cannot_follow(last_name(*real));
    else
      read(*by, *text, words, folder_of(*real), scope);
    author_ = author;
    python_top_ = top;
    found_.read_from(outer);
    return true;
  }

  // A text in the language of `by`, which looks in `folder` for what it loads.
  void read(const KnownProgram& by, std::string_view text, ShellWords words,
            const std::string& folder, ShellScope& scope) {
    switch (by.runs) {
      case Runs::sourced: return shell_text(text, scope);
      case Runs::shell: return shell_script(text, words, scope);
      case Runs::awk:
        if (text.find("system") != text.npos || text.find("getline") != text.npos ||
            text.find('|') != text.npos)
          found_.cannot_follow("awk");
        return;
      case Runs::python: {
        const std::string top = python_top_.empty() ? folder : python_top_;
        const std::string outer = std::exchange(python_top_, top);
        take_named(python_names(text, folder, top), by, folder, scope);
        python_top_ = outer;
        return;
      }
      case Runs::node: return take_named(node_names(text, folder), by, folder, scope);
      default: found_.cannot_follow(last_name(found_.script()));
    }
  }

  void take_named(const NamedFiles& names, const KnownProgram& by, const std::string& folder,
                  ShellScope& scope) {
    for (const std::string& package : names.packages) found_.cannot_follow(package);
    load(names.modules, by, scope);
    for (const std::string& path : names.quoted)
      for (const std::string& from : {folder, workspace_})
        if (const std::string whole = path.starts_with('/') ? path : from + "/" + path;
            found_.is_inside(plain_path(whole)) && is_program(whole))
          script(whole, {}, nullptr, scope);
  }

  void shell_script(std::string_view text, ShellWords words, const ShellScope& scope) {
    ShellScope own{.folders = scope.folders, .variables = scope.variables};
    for (std::size_t i = 0; i < 10; ++i)
      own.variables[std::to_string(i)] = i < words.size() ? words[i].values : Values{.texts = {""}};
    own.variables["BASH_SOURCE"] = own.variables["0"];
    shell_text(text, own);
  }

  bool load(const std::vector<std::string>& files, const KnownProgram& by, ShellScope& scope) {
    bool found = false;
    for (const std::string& path : files) {
      found_.add_folder(folder_of(path));
      found = (access(path.c_str(), F_OK) == 0 && script(path, {}, &by, scope)) || found;
    }
    return found;
  }

  // An interpreter: its options, then a script, or else standard input.
  void interpreted(const KnownProgram& by, ShellWords words, const ShellCall& call,
                   ShellScope& scope) {
    for (ShellWords rest = words.subspan(1); !rest.empty(); rest = rest.subspan(1)) {
      const std::string_view word = text_of(rest[0]);
      const ShellWords next = rest.subspan(1);
      const auto is = [&](std::string_view options) {
        return !next.empty() && is_option(options, word);
      };
      if (by.runs == Runs::python && word.starts_with("-m"))
        return module(word.size() > 2 || next.empty() ? word.substr(2) : text_of(next[0]), by,
                      scope);
      if (is(by.options.texts)) return inline_text(by, next, scope);
      if (is(by.options.files))
        any_script(next, by.runs == Runs::shell ? known_program(".") : &by, scope);
      if (word == "-") break;
      if (is(by.options.files) || is(by.options.valued))
        rest = next;
      else if (!word.starts_with('-') && !word.starts_with('+'))
        return by.runs == Runs::awk ? inline_text(by, rest, scope) : any_script(rest, &by, scope);
    }
    standard_input(by, words, call, scope);
  }

  void inline_text(const KnownProgram& by, ShellWords words, ShellScope& scope) {
    if (!words[0].values.known) found_.cannot_follow(words[0].written);
    if (by.runs == Runs::script) return;  // perl -e: it has been seen with the command
    for (const std::string& text : words[0].values.texts)
      for (const std::string& folder : scope.folders.texts)
        read(by, text, words.subspan(1), folder, scope);
  }

  void standard_input(const KnownProgram& by, ShellWords words, const ShellCall& call,
                      ShellScope& scope) {
    if (call.document && call.document->known)
      inline_text(by, std::vector{Word{.values = *call.document}}, scope);
    else if (call.input && !call.piped)
      any_script(std::vector{*call.input}, &by, scope);
    else
      found_.cannot_follow(words[0].written);
  }

  // python -m
  void module(std::string_view name, const KnownProgram& by, ShellScope& scope) {
    bool found = false;
    for (const std::string& folder : scope.folders.texts) {
      std::vector<std::string> files = python_module(name, folder);
      if (!files.empty()) files.push_back(folder_of(files.back()) + "/__main__.py");
      const std::string outer = std::exchange(python_top_, folder);
      found = load(files, by, scope) || found;
      python_top_ = outer;
    }
    if (found) return;
    const KnownProgram* known = known_program(name);
    if (known == nullptr) known = known_program(name.substr(0, name.find('.')));
    if (known != nullptr ? known->runs == Runs::project : author_ == Author::project)
      found_.cannot_follow("python -m " + std::string(name));
  }

  // The options and operands of a program that runs another one, then that one.
  Values wrapped(const KnownProgram& by, ShellWords words, const ShellCall& call,
                 ShellScope& scope) {
    ShellScope inner = scope;
    int operands = by.operands;
    ShellWords rest = words.subspan(1);
    for (; !rest.empty(); rest = rest.subspan(1)) {
      const std::string_view word = text_of(rest[0]);
      const auto [option, value] = option_in(rest);
      if (has_word(by.options.queries, option)) return Values::unknown();
      if (is_option(by.options.texts, option) && !value.written.empty())
        return shell_words(std::vector{value}, inner), Values::unknown();
      if (has_word(by.options.folders, option)) change_folder(std::vector{value}, inner);
      if (has_word(by.options.folders, word) || has_word(by.options.valued, word))
        rest = rest.subspan(1);
      else if (is_assignment(rest[0].written))
        variables(rest.first(1), inner);
      else if (!word.starts_with('-') && operands-- <= 0)
        break;
      if (rest.empty()) break;
    }
    if (by.runs == Runs::program || rest.empty()) return program(rest, call, inner);
    std::vector<Word> filled = filled_in(rest);
    filled.push_back({.written = "…", .values = Values::unknown()});
    return program(filled, call, inner);
  }

  void run_found(ShellWords words, const ShellCall& call, const ShellScope& scope) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const std::string_view word = text_of(words[i]);
      if (word.empty() || !has_word("-exec -execdir -ok -okdir", word)) continue;
      ShellScope inner = scope;
      if (word.ends_with("dir")) inner.folders.known = false;
      program(filled_in(words.subspan(i + 1)), call, inner);
    }
  }

  // eval, trap, flock -c
  void shell_words(ShellWords words, ShellScope& scope) {
    Values text{.texts = {""}};
    for (const Word& word : words) text = joined(joined(text, word.values), {.texts = {" "}});
    if (!text.known) found_.cannot_follow(words[0].written);
    for (const std::string& each : text.texts) shell_text(each, scope);
  }

  FoundFiles found_;
  const std::string& workspace_;
  Author author_;
  const std::string path_ = env("PATH");
  std::vector<std::string> folders_in_path_{};   // those of $PATH that are in the project
  std::string python_top_{};                     // where modules are looked for
  std::set<std::array<std::string, 3>> read_{};  // scripts, with what they were given
  int commands_ = 0, depth_ = 0;
};

}  // namespace

ExecutedFiles executed_files(const std::string& command, const Places& places, Author author) {
  CommandReader reader(places, author);
  reader.take(command);
  return reader.result();
}

ExecutedFiles executed_files(const MarkdownFile& file, const Places& places) {
  CommandReader reader(places, Author::project);
  for (const CommandPiece& piece : fill_in(file.body(), {.project_folder = places.root()}))
    if (piece.is_shell) reader.take(piece.text);
  return reader.result();
}

}  // namespace skein::project
