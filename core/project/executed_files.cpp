#include "core/project/executed_files.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/project/command_text.h"
#include "core/shell/known_programs.h"
#include "core/shell/program_reader.h"
#include "core/text/base.h"
#include "core/text/io.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// without "." and ".."
std::string plain_path(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

// by its name, or because it may be run
bool is_program(const std::string& path) {
  constexpr std::string_view script_endings =
      ".sh .bash .py .js .mjs .cjs .ts .rb .pl .php .lua .fish";
  const std::string_view name = shell::last_name(path);
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  return has_word(script_endings, name.substr(dot)) || access(path.c_str(), X_OK) == 0;
}

// Empty: it is machine code. None: it cannot be read, or is too long.
std::optional<std::string> script_text(const std::string& path) {
  constexpr std::size_t most_bytes = 1u << 20;
  constexpr std::string_view machine_code = "\177ELF";
  if (file_beginning(path, machine_code.size()) == machine_code) return "";
  return file_text(path, most_bytes);
}

// Which files the text of a program in Python or JavaScript names. It is searched for words, not
// understood: what a program loads or starts in other ways is not found.
struct ImportedFiles {
  std::vector<std::string> modules{};   // what it imports, where that would be
  std::vector<std::string> packages{};  // what it imports from wherever packages are installed
  std::vector<std::string> quoted{};    // whatever is in quotes and could be the path of a program
};

constexpr std::string_view own_modules =
    "assert async_hooks buffer child_process cluster console constants crypto dgram "
    "diagnostics_channel dns domain events fs http http2 https inspector module net os path "
    "perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls "
    "trace_events tty url util v8 vm wasi worker_threads zlib";

std::string_view up_to(std::string_view text, std::string_view ends) {
  return text.substr(0, std::min(text.find_first_of(ends), text.size()));
}

// What is in the quotes that `text` begins with; empty: it does not, or they are not closed.
std::string_view in_quotes(std::string_view text) {
  if (text.empty() || std::string_view("'\"`").find(text[0]) == std::string_view::npos) return {};
  const std::size_t end = text.find_first_of(std::string(1, text[0]) + "\n", 1);
  if (end == std::string_view::npos || text[end] == '\n') return {};
  return text.substr(1, end - 1);
}

// "a.b" for `import a.b`, "a" and "a.c" for `from a import c`, ".x" for `from . import x`.
std::vector<std::string> imported_names(std::string_view text) {
  std::vector<std::string> out;
  std::string lines(text);
  std::ranges::replace(lines, ';', '\n');  // python -c "import a; a.b()"
  for (std::string_view line : split(std::string_view(lines), '\n')) {
    line = up_to(trimmed(line), "#");
    if (line.starts_with("import ")) {
      for (const std::string_view each : split(line.substr(7), ','))
        out.emplace_back(first_word(trimmed(each)).first);
    } else if (line.starts_with("from ")) {
      const auto [module, rest] = first_word(trimmed(line.substr(5)));
      out.emplace_back(module);
      for (const std::string_view each : split(trimmed(first_word(rest).second, " \t()\\"), ','))
        out.push_back(std::string(module) + (module.ends_with('.') ? "" : ".") +
                      std::string(first_word(trimmed(each)).first));
    }
  }
  return out;
}

std::vector<std::string> quoted_paths(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = text.find_first_of("'\"`", at)) != std::string_view::npos; ++at) {
    const std::string_view inner = in_quotes(text.substr(at));
    if (inner.find_first_of("./") != std::string_view::npos &&
        inner.find_first_of(" \t<>|*") == std::string_view::npos)
      out.emplace_back(inner);
  }
  return out;
}

// Where the module "a.b" would be, and those that are loaded with it.
std::vector<std::string> python_module(std::string_view name, const std::string& top) {
  std::vector<std::string> out;
  std::string path = top;
  for (const std::string_view part : split(name, '.')) {
    path += "/" + std::string(part);
    out.push_back(path + ".py");
    out.push_back(path + "/__init__.py");
  }
  return out;
}

// Of a file in `folder`, in a program that looks for modules in `top`.
ImportedFiles python_names(std::string_view text, const std::string& folder,
                           const std::string& top) {
  ImportedFiles out{.quoted = quoted_paths(text)};
  for (const std::string& name : imported_names(text)) {
    const std::size_t dots = std::min(name.find_first_not_of('.'), name.size());
    std::filesystem::path from = dots > 0 ? folder : top;
    for (std::size_t up = 1; up < dots; ++up) from = from.parent_path();
    std::ranges::move(python_module(std::string_view(name).substr(dots), from.string()),
                      std::back_inserter(out.modules));
  }
  return out;
}

ImportedFiles node_names(std::string_view text, const std::string& folder) {
  ImportedFiles out{.quoted = quoted_paths(text)};
  for (const std::string_view mark : {"require", "import", "from"})
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string_view::npos;) {
      at += mark.size();
      const std::string_view name = in_quotes(trimmed(text.substr(at, 300), " \t("));
      if (name.empty() || name.starts_with("node:") || has_word(own_modules, up_to(name, "/")))
        continue;
      if (name[0] != '.' && name[0] != '/') {
        out.packages.emplace_back(name);
        continue;
      }
      const std::string path =
          name[0] == '/' ? std::string(name) : folder + "/" + std::string(name);
      for (const char* end : {"", ".js", ".mjs", ".cjs", ".ts", ".json", "/index.js"})
        out.modules.push_back(path + end);
    }
  return out;
}

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

// Collects what a command runs of a project while the command is read.
class CommandReader : private ProgramReader {
 public:
  // `author` is who wrote the command; `places` must outlive this.
  CommandReader(const Places& places, Author author)
      : places_(places), workspace_(places.workspace), author_(author) {
    if (author == Author::user) {
      if (!places.config.empty()) own_.push_back(places.config + "/");
      if (!places.home.empty() && places.workspace == places.home)
        own_.push_back(places.home + "/.claude/");
    }
    for (const std::string_view each : split(std::string_view(path_), ':')) {
      const std::string folder =
          (each.starts_with('/') ? "" : workspace_ + "/") + std::string(each);
      if (is_inside(plain_path(folder + "/."))) folders_in_path_.push_back(folder);
    }
  }

  void take(std::string_view command) {
    ShellScope scope{.folders = {.texts = {workspace_}}};
    for (const char* name : {"SKEIN_PROJECT_DIR", "CLAUDE_PROJECT_DIR"})
      scope.variables[name] = {.texts = {workspace_}};
    scope.variables["PATH"] = {.texts = {path_}};
    if (const std::string& home = places_.home; !home.empty())
      scope.variables["HOME"] = {.texts = {home}};
    read_text(command, scope);
  }

  ExecutedFiles result() {
    for (std::vector<std::string>* list : {&found_.files, &found_.names, &found_.unseen}) {
      std::ranges::sort(*list);
      list->erase(std::ranges::unique(*list).begin(), list->end());
    }
    return std::move(found_);
  }

 private:
  // of the project, by its name alone
  bool is_inside(const std::string& path) const {
    return path.starts_with(places_.root() + "/") &&
           std::ranges::none_of(own_, [&](const auto& own) { return path.starts_with(own); });
  }

  // Its real place, if it is a file of the project.
  std::optional<std::string> add_file(const std::string& path) {
    const std::string named = plain_path(path);
    std::string real = followed(named, places_);
    if (!real.empty() && real != named && is_inside(named)) found_.names.push_back(named);
    // A link that leads out of the project is trusted by its own name, with what it leads to.
    if (real.empty()) real = named;
    struct stat info {};
    if (!is_inside(real) || stat(real.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      return std::nullopt;
    found_.files.push_back(real);
    return real;
  }

  // see ExecutedFiles::names
  void add_folder(const std::string& path) {
    const std::string plain = plain_path(path + "/.");
    struct stat info {};
    if (is_inside(plain) && stat(plain.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      found_.names.push_back(folder_of(plain));
  }

  // The files that match a pattern now; `folder` is where a relative one begins.
  std::vector<std::string> add_matches(const std::string& folder, const std::string& pattern) {
    const std::string from = pattern.starts_with('/') ? "" : folder + "/";
    add_folder(folder_of(from + pattern.substr(0, pattern.find_first_of("*?["))));
    const std::string whole = glob_quoted(from) + pattern;
    std::vector<std::string> out;
    glob_t found{};
    if (::glob(whole.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
      out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
    return out;
  }

  // Something in the command, or in the script that is being read.
  void cannot_follow(std::string_view what) override {
    found_.unseen.push_back(
        "`" + std::string(utf8_prefix(what, 80)) + "`" +
        (script_.empty() ? "" : " in " + script_.substr(places_.root().size() + 1)));
  }

  void assigned(const std::string& name, const Values& value, bool) override {
    if (!is_search_path(name)) return;
    bool outside = value.known;
    for (const std::string& text : value.texts)
      for (const std::string_view part : split(std::string_view(text), ':'))
        outside = outside && part.starts_with('/') && !is_inside(std::string(part) + "/");
    if (!outside) cannot_follow(name + "=");
  }

  Values started(const std::string& name, ShellWords words, ShellScope& scope) override {
    if (scope.functions.contains(name)) return Values::unknown();
    std::vector<std::string> in_path;
    for (const std::string& folder : folders_in_path_) in_path.push_back(folder + "/" + name);
    const bool of_project = name.find('/') == std::string::npos
                                ? load(in_path, words, nullptr, scope)
                                : any_script(name, words, nullptr, scope);
    const KnownProgram* const known = known_program(last_name(name));
    if (known == nullptr) {
      if (!of_project && author_ == Author::project) cannot_follow(words[0].written);
      return Values::unknown();
    }
    // What belongs to it is in the project too, as in .venv.
    if (of_project && known->runs != Runs::nothing) cannot_follow(words[0].written);
    if (known->runs == Runs::nothing || known->runs == Runs::git)
      for (const Word& word : words.subspan(1))
        if (runs_by_argument(last_name(text_of(words[0])), text_of(word)))
          cannot_follow(words[0].written + " " + word.written);
    if (known->runs == Runs::project) cannot_follow(words[0].written);
    if (known->runs == Runs::git && words.size() > 1 && text_of(words.back()) == "--show-toplevel")
      return {.texts = {places_.root()}};
    return follow(*known, words, scope);
  }

  // All that match now.
  Values matches(const Word& word, const ShellScope& scope) override {
    Values out{.known = word.values.known && scope.folders.known};
    for (const std::string& pattern : word.values.texts)
      for (const std::string& folder : scope.folders.texts)
        out.add({.texts = add_matches(folder, pattern)});
    return out;
  }

  // Where a name leads from each folder that a command may be in.
  std::vector<std::string> paths(const std::string& name, const ShellScope& scope) {
    if (name.starts_with('/')) return {name};
    if (!scope.folders.known) cannot_follow(name);
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
    if (!names.known) cannot_follow(words[0].written);
    for (const std::string& name : names.texts) any_script(name, words, &by, scope);
  }

  // A file that `by` runs, or that says itself what runs it. False: it is outside of the project.
  bool script(const std::string& path, ShellWords words, const KnownProgram* by,
              ShellScope& scope) {
    const std::optional<std::string> real = add_file(path);
    if (!real) return is_inside(plain_path(path));
    if (!read_.insert({*real, python_top_, arguments_as_text(words, scope)}).second) return true;
    const std::optional<std::string> text = script_text(*real);
    const std::string outer = std::exchange(script_, *real);
    const std::string top = by == nullptr ? std::exchange(python_top_, "") : python_top_;
    const Author author = std::exchange(author_, Author::project);
    if (by == nullptr && text) by = interpreter_of(*text);
    if (by == nullptr || !text)
      cannot_follow(last_name(*real));
    else
      read(*by, *text, words, folder_of(*real), scope);
    author_ = author;
    python_top_ = top;
    script_ = outer;
    return true;
  }

  // A text in the language of `by`, which looks in `folder` for what it loads.
  void read(const KnownProgram& by, std::string_view text, ShellWords words,
            const std::string& folder, ShellScope& scope) {
    switch (by.runs) {
      case Runs::sourced: return read_text(text, scope);
      case Runs::shell: return run_script(text, words, scope);
      case Runs::awk:
        if (has_any_of(text, {"system", "getline", "|"})) cannot_follow("awk");
        return;
      case Runs::python: {
        const std::string top = python_top_.empty() ? folder : python_top_;
        const std::string outer = std::exchange(python_top_, top);
        take_named(python_names(text, folder, top), by, folder, scope);
        python_top_ = outer;
        return;
      }
      case Runs::node: return take_named(node_names(text, folder), by, folder, scope);
      default: cannot_follow(last_name(script_));
    }
  }

  void take_named(const ImportedFiles& names, const KnownProgram& by, const std::string& folder,
                  ShellScope& scope) {
    for (const std::string& package : names.packages) cannot_follow(package);
    load(names.modules, {}, &by, scope);
    for (const std::string& path : names.quoted)
      for (const std::string& from : {folder, workspace_})
        if (const std::string whole = path.starts_with('/') ? path : from + "/" + path;
            is_inside(plain_path(whole)) && is_program(whole))
          script(whole, {}, nullptr, scope);
  }

  // Those that exist.
  bool load(const std::vector<std::string>& files, ShellWords words, const KnownProgram* by,
            ShellScope& scope) {
    bool found = false;
    for (const std::string& path : files) {
      add_folder(folder_of(path));
      found = (access(path.c_str(), F_OK) == 0 && script(path, words, by, scope)) || found;
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
      found = load(files, {}, &by, scope) || found;
      python_top_ = outer;
    }
    if (found) return;
    const KnownProgram* known = known_program(name);
    if (known == nullptr) known = known_program(name.substr(0, name.find('.')));
    if (known != nullptr ? known->runs == Runs::project : author_ == Author::project)
      cannot_follow("python -m " + std::string(name));
  }

  const Places& places_;
  const std::string& workspace_;
  std::vector<std::string> own_{};  // folders of the user's own, in a project that is their home
  std::string script_{};            // that is being read; empty: the command
  ExecutedFiles found_{};
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
