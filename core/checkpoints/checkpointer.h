// Takes checkpoints: before a turn's first command, before each write, and after the turn.
#pragma once

#include "core/checkpoints/workspace_files.h"
#include "core/model/tool.h"

namespace skein::checkpoints {

class Checkpointer : public model::FileKeeper {
 public:
  // Opened when something is about to change, since a prompt that changes nothing pays nothing.
  using Open = std::function<std::unique_ptr<WorkspaceFiles>()>;
  explicit Checkpointer(Open open) : open_(std::move(open)) {}

  WorkspaceFiles& workspace();  // throws Error if it cannot be opened

  Kept before_command(const Moment& moment) override;
  Kept before_write(const Moment& moment, const model::FileBefore& file) override;
  Kept after_turn(const Moment& moment) override;

  // The state now, for a snapshot. Throws Error if it cannot be kept.
  Kept take(const Moment& moment);

 private:
  struct ThisTurn {
    std::string run_id{};
    std::optional<TreeScan> scan{};   // before its first command
    std::set<std::string> written{};  // by tools that say what they write
  };
  // `modes`: see scan(). Throws Error.
  TreeScan look(const Moment& moment, const UsualModes& modes = std::nullopt);
  void enter(const Moment& moment);
  void warn(Kept& kept, const std::string& sentence);
  void warn_of_gaps(Kept& kept, const TreeScan& scan);
  store::Result<model::Entry> entry_of(const Moment& moment, std::string_view phase,
                                       model::payload::Checkpoint state);
  store::Result<std::vector<KeptFile>> now(const std::set<std::string>& paths);

  Open open_;
  std::unique_ptr<WorkspaceFiles> workspace_{};
  ThisTurn turn_{};
  std::set<std::string> warned_{};  // each sentence is shown once
};

// The entry for a state; many files go into a blob of their own.
store::Result<model::Entry> checkpoint_entry(ContentStore& contents,
                                             model::payload::Checkpoint checkpoint);

}  // namespace skein::checkpoints
