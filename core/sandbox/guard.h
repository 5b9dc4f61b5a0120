// Watches over a command: remembers what other programs run by themselves in the folders it may
// write to, and undoes what the command made or changed of that. What exists is also mounted
// read-only where the sandbox can; what does not exist yet, or git replaces by renaming, cannot be.
//
// Its memory is also on disk (GuardRecord), so that another process can undo the command: its
// supervisor if skein is killed, the next skein if both are. While a command of another guard runs
// in the same folders, that guard's memory counts: what its command changed is no user's work.
#pragma once

#include "core/text/std.h"

#include "core/sandbox/autorun_files.h"
#include "core/sandbox/git_config.h"
#include "core/sandbox/guard_record.h"
#include "core/sandbox/tree_record.h"
#include "core/text/io.h"

namespace skein::sandbox {

class Guard {
 public:
  struct Settings {
    std::vector<std::string> areas{};  // the folders commands may write to, canonical
    std::string home{};                // where shells start
    std::string quarantine{};          // see Quarantine
    std::string records{};             // the folder of all GuardRecords; empty: nothing is written
  };
  explicit Guard(Settings settings);
  // The guard of a command whose skein is gone. Null: the record cannot be read, and is as it was.
  static std::unique_ptr<Guard> of(GuardRecord&& record);
  // What the first batch of a record says.
  static Settings settings_in(const std::string& batch);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // A file to guard in addition to those that are found. It is mounted read-only in any folder.
  void add(const std::string& path);
  // Whether a file of one of these names has been met.
  bool has_met(const std::vector<std::string>& names) const;

  // Whether the command cannot write to what record() returns.
  enum class Wall { held, none };
  // Before a command. Returns what to mount read-only, nearest first; nothing: `stopped`. Throws.
  std::optional<std::vector<std::string>> record(
      Wall wall, const std::function<bool()>& stopped = [] { return false; });
  // Open and locked; -1: there is none.
  int record_fd() const { return record_.fd(); }

  // While it runs and after it. Returns what was undone and why; empty: nothing.
  std::string take_back();
  // After it: the same, and the record is no longer needed.
  std::string finish();
  // The command was not started after all.
  void cancel();
  // Another process watches over the command from now on.
  void leave() { record_ = {}; }

  // What take_back() would undo, with the contents of files.
  struct Change {
    std::string path{};
    enum class Kind { added, removed, modified } kind = Kind::modified;
    std::string before{}, now{};
  };
  std::vector<Change> changes();
  const std::vector<std::string>& areas() const { return settings_.areas; }
  GuardRecord& on_disk() { return record_; }

 private:
  void read_global_hook_folders();
  void open_record();
  void adopt_running_commands();
  void load(const std::string& batch);
  void save(const std::string& places);
  std::string record_places();
  void record_place(const std::string& path, Packer& changed);
  void follow_up(const std::string& path, const TreeRecord& tree);
  std::vector<std::string> find_walls();
  void look_and_judge();
  bool cannot_have_changed(const std::string& path, const TreeRecord& now) const;
  void judge(const std::string& path, const GuardedPlace& place);
  void judge_new_config(const std::string& path, const TreeRecord& now, const StaysInside& inside);
  void judge_new_hooks(const std::string& path, const TreeRecord& now);
  void restore(const std::string& path, const TreeRecord& before, const TreeRecord& now);
  void list(const std::string& path, const TreeRecord& before, const TreeRecord& now);
  std::string first_area() const;
  std::string shown(const std::string& path) const;
  bool take(int folder, const std::string& name, const std::string& path);

  const Settings settings_;
  // core.hooksPath of the user or the machine, once they are needed.
  std::optional<std::vector<std::string>> global_hook_folders_{};
  std::set<std::string> added_{};
  AutorunFiles places_;
  Quarantine quarantine_;
  std::map<std::string, TreeRecord> records_{};  // of every place, as the command found it
  Wall wall_ = Wall::none;
  // What is walled off, kept open so that no other file gets its number; closed if read from disk.
  std::map<std::string, Fd> walled_{};
  std::vector<std::string> taken_{}, not_restored_{};
  std::vector<Change>* listed_ = nullptr;  // nothing is undone, only listed

  GuardRecord record_{};
  AutorunFiles::Extent unsaved_ = AutorunFiles::Extent::everything;
  std::string saved_walls_{};
  // The records of other running commands: of which size, and the folders they may write to.
  struct Running {
    std::size_t size = 0;
    std::vector<std::string> areas{};
  };
  std::map<std::string, Running> running_{};
};

}  // namespace skein::sandbox
