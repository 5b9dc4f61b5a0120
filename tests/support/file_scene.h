// A workspace whose files follow a conversation: prompts whose turns run commands and tools in it,
// checkpoints of that in a store, and the way back.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/checkpoints/checkpointer.h"
#include "core/checkpoints/rewind.h"
#include "core/store/session_store.h"
#include "core/tools/tools.h"
#include "tests/support/temp_dir.h"

namespace skein::test {

class FileScene {
 public:
  enum class Folder { plain, repository };
  explicit FileScene(Folder folder, checkpoints::ScanLimits limits = {});
  FileScene(Folder folder, store::SessionStore on, checkpoints::ScanLimits limits = {});

  std::filesystem::path work() const { return dir_.path() / "work"; }
  std::filesystem::path operator/(std::string_view name) const { return work() / name; }
  std::string notes() const { return (dir_.path() / "notes").string(); }  // see Unfinished

  // A turn, from its prompt to its end.
  Id begin(const std::string& prompt);
  std::string command(const std::string& shell);  // why it was not run; empty: it was
  std::string write(const std::string& path, const std::string& content);
  void end();
  Id turn(const std::string& shell);  // one of a single command

  void by_hand(const std::string& shell);  // what the user does in between
  std::string git(const std::string& arguments);

  checkpoints::RestorePlan plan(Id entry);
  checkpoints::RestoreReport restore(Id entry, bool overwrite = false);
  checkpoints::RestoreReport redo();

  std::map<std::string, std::string> files() const;       // but what git keeps
  std::map<std::string, std::string> repository() const;  // what git keeps, byte by byte
  const std::vector<std::string>& notices() const { return notices_; }
  std::vector<model::payload::Checkpoint> checkpoints();  // in the order they were taken

  checkpoints::WorkspaceFiles& workspace() { return keeper_->workspace(); }
  void reopen();  // as a process that starts anew finds it

  store::SessionStore store;
  // Where contents are kept; beside the session, unless a test puts it elsewhere and reopens.
  std::function<checkpoints::ContentStore()> contents = [this] {
    return checkpoints::content_store(store.blobs());
  };
  Id session{};
  checkpoints::ScanLimits limits;
  std::function<bool()> stopped = [] { return false; };  // whether the user wants a look to end
  std::string memory{};  // the file, if what was looked at is to be remembered; then reopen

 private:
  void take_in(model::FileKeeper::Kept kept, std::string& refusal);
  model::FileKeeper::Moment moment() const;

  TempDir dir_;
  std::unique_ptr<checkpoints::Checkpointer> keeper_;
  std::unique_ptr<model::Tools> tools_;
  Id prompt_{};
  std::string run_{};
  std::vector<std::string> notices_{};
};

}  // namespace skein::test
