// Sessions as files in one home folder: transcripts/, trash/, quarantine/, blobs/,
// sessions.json, last.
#pragma once

#include <memory>
#include <utility>

#include "core/store/backend.h"
#include "core/store/home/home.h"
#include "core/store/log/new_transcript.h"

namespace skein::store::home {

class FileBackend : public StorageBackend {
 public:
  explicit FileBackend(std::unique_ptr<files::Files> files, HomeIndex::Tell tell = {})
      : FileBackend(std::make_shared<Home>(std::move(files), std::move(tell))) {}
  // Shared with whoever looks after the home meanwhile.
  explicit FileBackend(std::shared_ptr<Home> home) : home_(std::move(home)) {}
  Home& home() { return *home_; }

  Result<std::vector<SessionRecord>> list(const ListFilter& filter = {}) override;
  Result<SessionRecord> find(std::string_view name) override;
  Result<SessionRecord> open(Id session) override;
  Result<Created> create(const SessionHeader& header, std::span<const NewEntry> entries) override;
  Result<Created> fork(const SessionHeader& header, std::span<const ForkExtra> extras) override;
  Result<MigrationResult> migrate(Id session) override;
  Result<AppendResult> append(Id session, std::span<const NewEntry> entries,
                              const AppendOptions& options) override;
  Result<void> load(Id session, Position from, const VisitEntry& visit) override;
  Result<void> load_back(Id session, std::optional<Position> from,
                         const VisitEntry& visit) override;
  Result<StoredEntry> load_at(Id session, Position at) override;
  Result<void> survey(Id session, const VisitFacts& visit) override;
  Result<Position> locate(Id session, Id entry) override;
  Result<Damage> examine(Id session) override;
  Result<std::set<Id>> sift(const SessionRecord& session, const Sieve& sieve,
                            const VisitFacts& visit) override;
  std::size_t sift_threads() const override { return home_->files().for_threads() ? 2 : 1; }
  Result<void> give_lines(Id session, Position from, const VisitText& visit) override;
  Result<SessionRecord> admit(Id session, const GiveLines& lines, TakenKey taken) override;
  Result<void> extend(Id session, Position end, std::span<const std::string> lines) override;
  Result<SessionRecord> replace(Id session, Position end, const GiveLines& lines) override;
  Result<SessionLease> hold(Id session, LockMode company) override;
  std::map<Id, std::string> at_work(std::span<const Id> sessions) override;
  std::unique_ptr<SessionWatch> watch(Id session) override;
  Result<void> erase(Id session) override;
  Result<SessionRecord> restore(std::string_view name) override;
  Result<std::vector<TrashedSession>> trash() override;
  Result<EmptiedTrash> empty_trash() override;
  Result<void> archive(Id session) override;
  Result<void> unarchive(Id session) override;
  Result<std::string> keep_blob(std::string_view bytes) override;
  Result<std::vector<std::string>> keep_blobs(std::span<const std::string> all) override;
  Result<std::string> load_blob(const std::string& name) override;
  bool holds_blob(const std::string& name, std::uint64_t bytes) override;
  void remember(Id session, const std::string& workspace) override;
  void enter(Id session, const std::string& workspace) override;
  std::optional<Id> last_used(const std::string& workspace) override;
  void close(Id session) override { home_->forget(session); }

 private:
  template <class Work>
  auto with_log(Id session, Work work) -> decltype(work(std::declval<log::LogWriter&>()));
  using Fill = std::function<Result<void>(log::NewTranscript&)>;
  Result<Created> make(const SessionHeader& header, const Fill& fill);
  Result<NameOwner> owner_in(const Index& index, const std::string& key);

  std::shared_ptr<Home> home_;
};

}  // namespace skein::store::home
