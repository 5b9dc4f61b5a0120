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
#include "core/project/module_files.h"
#include "core/shell/program_reader.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

using namespace shell;
using Runs = KnownProgram::Runs;

// What a script finds when it is run: the same script may run other files the next time.
std::string arguments_as_text(ShellWords words, const ShellScope& scope) {
  std::string out;
  const auto add = [&](const Values& values) {
    for (const std::string& text : values.texts) out += text + "\n";
    out += values.known ? "\t" : "?\t";
  };
  add(scope.folders);
  for (const ShellCall::Word& word : words) add(word.values);
  for (const auto& [name, values] : scope.variables) add(values);
  return out;
}

class CommandReader : private ProgramReader {
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
    read_text(command, scope);
  }

  ExecutedFiles result() { return found_.result(); }

 private:
  void cannot_follow(std::string_view what) override { found_.cannot_follow(what); }

  void assigned(const std::string& name, const Values& value, bool) override {
    if (!is_search_path(name)) return;
    bool outside = value.known;
    for (const std::string& text : value.texts)
      for (const std::string_view part : split(std::string_view(text), ':'))
        outside = outside && part.starts_with('/') && !found_.is_inside(std::string(part) + "/");
    if (!outside) found_.cannot_follow(name + "=");
  }

  Values started(const std::string& name, ShellWords words, const ShellCall& call,
                 ShellScope& scope) override {
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
    if (known.runs == Runs::nothing || known.runs == Runs::git) check_arguments(words);
    if (known.runs == Runs::project) found_.cannot_follow(words[0].written);
    if (known.runs == Runs::git && words.size() > 1 && text_of(words.back()) == "--show-toplevel")
      return {.texts = {found_.places().root()}};
    return follow(known, words, call, scope);
  }

  void check_arguments(ShellWords words) {
    for (const Word& word : words.subspan(1))
      if (runs_by_argument(last_name(text_of(words[0])), text_of(word)))
        found_.cannot_follow(words[0].written + " " + word.written);
  }

  // All that match now.
  Values matches(const Word& word, const ShellScope& scope) override {
    Values out{.known = word.values.known && scope.folders.known};
    for (const std::string& pattern : word.values.texts)
      for (const std::string& folder : scope.folders.texts)
        out.add({.texts = found_.add_matches(folder, pattern)});
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
  void run_file(ShellWords words, const KnownProgram& by, ShellScope& scope) override {
    const Values names = words[0].glob ? matches(words[0], scope) : words[0].values;
    if (!names.known) found_.cannot_follow(words[0].written);
    for (const std::string& name : names.texts) any_script(name, words, &by, scope);
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
      case Runs::sourced: return read_text(text, scope);
      case Runs::shell: return run_script(text, words, scope);
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

  bool load(const std::vector<std::string>& files, const KnownProgram& by, ShellScope& scope) {
    bool found = false;
    for (const std::string& path : files) {
      found_.add_folder(folder_of(path));
      found = (access(path.c_str(), F_OK) == 0 && script(path, {}, &by, scope)) || found;
    }
    return found;
  }

  void run_text(const KnownProgram& by, std::string_view text, ShellWords words,
                ShellScope& scope) override {
    if (by.runs == Runs::script) return;  // perl -e: it has been seen with the command
    for (const std::string& folder : scope.folders.texts) read(by, text, words, folder, scope);
  }

  // python -m
  void run_module(std::string_view name, const KnownProgram& by, ShellScope& scope) override {
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

  FoundFiles found_;
  const std::string& workspace_;
  Author author_;
  const std::string path_ = env("PATH");
  std::vector<std::string> folders_in_path_{};   // those of $PATH that are in the project
  std::string python_top_{};                     // where modules are looked for
  std::set<std::array<std::string, 3>> read_{};  // scripts, with what they were given
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
