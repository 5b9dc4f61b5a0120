// The commands of a project and its user: Markdown files, and skills that a person may call. What a
// name means, and the message a command becomes.
#pragma once

#include "core/model/message.h"
#include "core/project/markdown_files.h"
#include "core/project/places.h"
#include "core/text/base.h"

namespace skein::project {

// Markdown files that are commands: `git/commit.md` in a folder of commands is /git:commit.
struct CommandFile {
  std::string name;  // without the slash
  std::string path;  // where it really is
  bool of_project;
};

// In the order in which they count; several may have the same name. Only folders are read.
std::vector<CommandFile> find_commands(const Places& places);

// For lists and hints.
struct CommandWords {
  std::string description{};  // in one line
  std::string hint{};         // "[file] [mode]"
};
CommandWords words_of(const MarkdownFile& file);

struct OwnCommand {
  std::string name;  // without the slash
  std::string path;  // of its file
  bool of_project = false;
  bool trusted = true;         // else nothing in it runs
  std::string skill_folder{};  // empty: it is no skill
};
CommandWords words_of(const OwnCommand& command);  // reads its file

// All by their names, each name once; sorted. Where several have one name, skills come before
// files, and what is trusted before what is not: a checkout must not take the place of the user's
// own.
std::vector<OwnCommand> by_name(std::vector<OwnCommand> all);
// By its name, or as user:NAME and project:NAME if another hides it.
std::optional<OwnCommand> find_own(const std::vector<OwnCommand>& all, std::string_view name);

// How a command in the file ended.
struct ShellRun {
  bool run = false;
  std::string text{};  // what it printed, or why it was not run
  int status = 0;
};

struct RenderPorts {
  // By the rules of the file too.
  std::function<ShellRun(const std::string& command,
                         const std::vector<std::string>& temporary_rules)>
      run;
  std::string session{}, project_folder{};
  std::vector<std::string> agents{};  // to which a command can be handed on
};

// The message that a command becomes.
struct RenderedCommand {
  std::string text{};
  std::string mentions{};                      // the part of it in which @path names a file
  JsonText meta{};                             // for its entry
  std::vector<std::string> temporary_rules{};  // rules that hold until it is answered
  std::vector<model::Image> images{};
  std::string model{}, effort{};       // that are to answer it; empty: as it is set
  std::vector<std::string> remarks{};  // what of the file has no effect, for the user
};

// Throws Error if the file cannot be read, or a command in it was not run or failed: then nothing
// is to be sent. In `file` is what was judged, so that nothing else runs.
RenderedCommand render(const OwnCommand& command, const MarkdownFile& file,
                       std::string_view arguments, const RenderPorts& ports);
// Whether rendering runs anything, or the file asks for rules: what needs trust.
bool needs_trust(const MarkdownFile& file);

}  // namespace skein::project
