// Sessions as files in one home folder: transcripts/, trash/, quarantine/, blobs/,
// sessions.json, last.
#pragma once

#include "core/store/home/archive.h"
#include "core/store/home/blobs.h"
#include "core/store/home/home.h"
#include "core/store/home/migration.h"
#include "core/store/home/new_sessions.h"
#include "core/store/log/log_backend.h"
#include "core/store/log/new_transcript.h"

namespace skein::store::home {

class FileBackend : public log::LogBackend {
 public:
  explicit FileBackend(std::unique_ptr<files::Files> files, HomeIndex::Tell tell = {})
      : FileBackend(std::make_shared<Home>(std::move(files), std::move(tell))) {}
  // Shared with the maintenance of the home.
  explicit FileBackend(std::shared_ptr<Home> home) : home_(std::move(home)) {}
  Home& home() { return *home_; }

  Result<std::vector<SessionRecord>> list(const ListFilter& filter = {}) override;
  Result<SessionRecord> find(std::string_view name) override;
  Result<SessionRecord> open(Id session) override;
  Result<Created> create(const SessionHeader& header, std::span<const NewEntry> entries) override;
  Result<Created> fork(const SessionHeader& header, std::span<const ForkExtra> extras) override;
  // A session whose first entries are those that `fill` adds.
  using Fill = std::function<Result<void>(log::NewTranscript&)>;
  Result<Created> make(const SessionHeader& header, const Fill& fill);
  Result<MigrationResult> migrate(Id session) override { return home::migrate(*home_, session); }
  Result<AppendResult> append(Id session, std::span<const NewEntry> entries,
                              const AppendOptions& options) override;
  std::size_t scan_threads() const override { return home_->files().for_threads() ? 2 : 1; }
  Result<void> append_lines(Id session, Position end, std::span<const std::string> lines) override;
  Result<SessionRecord> import_lines(Id session, const GiveLines& lines, TakenKey taken) override {
    return home::import_lines(*home_, session, lines, taken);
  }
  Result<SessionRecord> replace(Id session, Position end, const GiveLines& lines) override {
    return replace_session(*home_, session, end, lines);
  }
  Result<std::set<Id>> scan(const SessionRecord& session, const ScanFilter& filter,
                            const VisitFacts& visit) override;
  Result<SessionLease> hold(Id session, LockMode mode) override;
  std::map<Id, std::string> at_work(std::span<const Id> sessions) override;
  std::unique_ptr<SessionWatch> watch(Id session) override;
  Result<void> erase(Id session) override { return move_to_trash(*home_, session); }
  Result<SessionRecord> restore(std::string_view name) override {
    return restore_from_trash(*home_, name);
  }
  Result<std::vector<TrashedSession>> trash() override { return list_trash(*home_); }
  Result<EmptiedTrash> empty_trash() override { return home::empty_trash(*home_); }
  Result<void> archive(Id session) override { return archive_session(*home_, session); }
  Result<void> unarchive(Id session) override { return unarchive_session(*home_, session); }
  Result<std::string> keep_blob(std::string_view bytes) override {
    return home::keep_blob(*home_, bytes);
  }
  Result<std::vector<std::string>> keep_blobs(std::span<const std::string> all) override {
    return home::keep_blobs(*home_, all);
  }
  Result<std::string> load_blob(const std::string& name) override {
    return home::load_blob(home_->files(), name);
  }
  bool holds_blob(const std::string& name, std::uint64_t bytes) override {
    return home::holds_blob(home_->files(), name, bytes);
  }
  void remember(Id session, const std::string& workspace) override;
  void enter(Id session, const std::string& workspace) override;
  std::optional<Id> last_used(const std::string& workspace) override {
    return home_->index().last_used(workspace);
  }
  void close(Id session) override { home_->forget(session); }

 private:
  Result<void> with_log(Id session, const Use& use) override;
  Result<NameOwner> owner_in(const Index& index, const std::string& key);

  std::shared_ptr<Home> home_;
};

}  // namespace skein::store::home
