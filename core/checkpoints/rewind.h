// Going back and forth in a session with its files, and what each prompt changed.
#pragma once

#include "core/checkpoints/checkpoint_log.h"
#include "core/checkpoints/plan.h"
#include "core/checkpoints/restore.h"

namespace skein::checkpoints {

// The workspace as it was when this entry was written: before a prompt, after an answer; none: when
// the session first changed something. An empty plan: it is so now, or nothing is known.
store::Result<RestorePlan> plan_to(WorkspaceFiles& workspace, Id session, std::optional<Id> entry);
// As it was before a restore.
store::Result<RestorePlan> plan_before(WorkspaceFiles& workspace, Id session,
                                       const model::payload::Restore& restore);

// For the model: files that were restored without the conversation since the last message.
std::string note_on_files(store::Transcripts& transcripts, Id session);

// The last step back that nothing was said after, and that was not taken forward yet.
store::Result<std::optional<model::payload::Restore>> last_step_back(
    store::Transcripts& transcripts, Id session);

struct FileChange {
  std::string path{};
  FileState before{}, after{};
};
// What the turn of a prompt changed, by its checkpoints.
std::vector<FileChange> changes_of(const CheckpointLog& log, Id prompt);
// For any number of them at once.
void resolve(WorkspaceFiles& workspace, std::vector<FileChange>& changes);
// What led from the state a plan goes back to, to what is there now.
std::vector<FileChange> changes_of(const RestorePlan& plan);

struct ChangeCount {
  std::size_t files = 0;
  LineCount lines{};
};
ChangeCount count_of(WorkspaceFiles& workspace, const std::vector<FileChange>& changes);
// The same for those of several owners, `whose` of `owners` each change is.
std::vector<ChangeCount> count_each(WorkspaceFiles& workspace, std::vector<FileChange> changes,
                                    const std::vector<std::size_t>& whose, std::size_t owners);
std::string count_text(const ChangeCount& count);  // "+120 −8 in 3 files"
// A unified diff of all of it.
std::string diff_of(WorkspaceFiles& workspace, const std::vector<FileChange>& changes);

// What `from` left becomes what `to` left, but only of files that no one else has changed since.
// Empty if another commit was checked out: then git has changed the files.
store::Result<RestorePlan> plan_between(WorkspaceFiles& workspace, Id from, Id to);

}  // namespace skein::checkpoints
