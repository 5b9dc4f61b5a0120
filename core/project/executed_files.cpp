#include "core/project/executed_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "core/permission/shell_words.h"
#include "core/project/command_text.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

constexpr std::string_view interpreters =
    "sh bash dash zsh ksh fish python python2 python3 node deno bun ruby perl php lua awk source . "
    "exec env nohup nice time timeout xargs";
constexpr std::string_view script_endings = ".sh .bash .py .js .mjs .ts .rb .pl .php .lua .fish";

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool looks_like_a_script(std::string_view word) {
  const std::size_t dot = last_name(word).rfind('.');
  return dot != std::string_view::npos && has_word(script_endings, last_name(word).substr(dot));
}

class Collector {
 public:
  explicit Collector(const Places& places) : places_(places) {}

  void take(const std::string& command) {
    const permission::ShellLine line = permission::parse_shell_line(command);
    for (const permission::SimpleCommand& simple : line.commands) take(simple);
    // What cannot be taken apart: every word that could be a script.
    if (line.doubt.empty()) return;
    std::string word;
    for (const char c : command + " ") {
      if (std::string_view(" \t\n;|&()<>{}\"'`$=").find(c) == std::string_view::npos) {
        word += c;
        continue;
      }
      if (looks_like_a_script(word) || word.find('/') != std::string::npos) add(word);
      word.clear();
    }
  }

  std::vector<std::string> found() {
    std::ranges::sort(found_);
    const auto repeated = std::ranges::unique(found_);
    found_.erase(repeated.begin(), repeated.end());
    return std::move(found_);
  }

 private:
  // The program itself, and behind an interpreter everything that could be what it runs.
  void take(const permission::SimpleCommand& words) {
    bool runs_next = true;
    for (const permission::ShellWord& word : words) {
      const bool option = word.text.starts_with('-') || word.text.find('=') != std::string::npos;
      if (runs_next && word.text.find('/') != std::string::npos) add(word.text);
      if (!runs_next && looks_like_a_script(word.text) && behind_interpreter_) add(word.text);
      if (runs_next && behind_interpreter_) add(word.text);
      if (option && behind_interpreter_) continue;
      behind_interpreter_ = runs_next && has_word(interpreters, last_name(word.text));
      runs_next = behind_interpreter_;
    }
    behind_interpreter_ = false;
  }

  void add(const std::string& word) {
    const std::string path = word.starts_with('/') ? word : places_.workspace + "/" + word;
    std::string real = followed(path, places_);
    // A link that leads out of the project is trusted by its own name, with what it leads to.
    if (real.empty()) real = std::filesystem::path(path).lexically_normal().string();
    struct stat info {};
    const bool in_project = real.starts_with(places_.root() + "/");
    if (in_project && stat(real.c_str(), &info) == 0 && S_ISREG(info.st_mode))
      found_.push_back(real);
  }

  const Places& places_;
  bool behind_interpreter_ = false;
  std::vector<std::string> found_{};
};

}  // namespace

std::vector<std::string> executed_files(const std::string& command, const Places& places) {
  Collector collector(places);
  collector.take(command);
  return collector.found();
}

std::vector<std::string> executed_files(const MarkdownFile& file, const Places& places) {
  Collector collector(places);
  for (const CommandPiece& piece : fill_in(file.body(), {.project_folder = places.root()}))
    if (piece.is_shell) collector.take(piece.text);
  return collector.found();
}

}  // namespace skein::project
