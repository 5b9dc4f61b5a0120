// Moving in the conversation and taking the files along: what the user is asked, what is done, and
// what is said of it.
#pragma once

#include <optional>
#include <string>

#include "core/checkpoints/rewind.h"
#include "repl/commands/handlers.h"

namespace skein::commands {

struct FileStep {
  Id to{};                   // the files become as they were when this entry was written
  std::optional<Id> head{};  // where the conversation goes; none: it stays
};

// What the user wants of the files.
struct FilesWanted {
  bool put_back = false;
  bool overwrite = false;  // also what was changed by hand
};

// Asks, as the configuration wants it, whether the files shall follow; then moves both.
void move_with_files(Session& session, const FileStep& step);
// Moves without asking.
void take_step(Session& session, const FileStep& step, const checkpoints::Plan& plan,
               const FilesWanted& wanted);

// The plan to an entry; empty if files are not kept.
checkpoints::Plan plan_for(Session& session, Id entry);
// With this question; none: how many files shall be put back.
FilesWanted ask_for_files(Session& session, const checkpoints::Plan& plan,
                          const std::string& question = {});
// Another session was opened: offers the files as that one left them.
void offer_files_of(Session& session, Id left);
// At most so many lines about it.
std::string plan_text(const checkpoints::Plan& plan, std::size_t lines);
void report(Session& session, const checkpoints::RestoreReport& done);

// A diff, a screenful at a time.
void show_paged(Session& session, const std::string& diff);

}  // namespace skein::commands
