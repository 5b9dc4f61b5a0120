// Sessions as files in one home folder: transcripts/, trash/, quarantine/, blobs/,
// sessions.json, last.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/store/backend.h"
#include "core/store/files/files.h"
#include "core/store/home/index_change.h"
#include "core/store/home/transcript.h"
#include "core/store/log/new_transcript.h"

namespace skein::store::home {

class FileScrubber;

class FileBackend : public StorageBackend {
 public:
  explicit FileBackend(std::unique_ptr<files::Files> files, HomeIndex::Tell tell = {});

  Result<std::vector<SessionRecord>> list() override;
  std::optional<Id> find_key(std::string_view key) override;
  Result<SessionRecord> open(Id session) override;
  Result<Created> create(const SessionHeader& header, std::span<const NewEntry> entries) override;
  Result<Created> fork(const SessionHeader& header, std::span<const ForkExtra> asides) override;
  Result<AppendResult> append(Id session, std::span<const NewEntry> entries,
                              const AppendOptions& options) override;
  Result<void> load(Id session, model::Position from,
                    const std::function<bool(const StoredEntry&)>& each) override;
  Result<void> survey(Id session,
                      const std::function<void(const model::EntryFacts&)>& each) override;
  Result<void> load_back(Id session, std::optional<model::Position> from,
                         const std::function<bool(const StoredEntry&)>& each) override;
  Result<StoredEntry> load_at(Id session, model::Position at) override;
  Result<model::Position> locate(Id session, Id entry) override;
  Result<Damage> examine(Id session) override;
  DamageCount damage_met(Id session) override;
  Result<SessionLease> hold(Id session, LockMode company) override;
  Result<void> erase(Id session) override;
  Result<SessionRecord> restore(std::string_view name) override;
  Result<EmptiedTrash> empty_trash() override;
  Result<void> archive(Id session) override;
  Result<void> unarchive(Id session) override;
  Result<Scrubbed> scrub(Id session, Id entry, const ScrubWish& wish) override;
  Result<MigrationResult> migrate(Id session) override;
  Result<std::vector<MigrationResult>> migrate_strays() override;
  Result<std::string> keep_blob(std::string_view bytes) override;
  Result<std::string> load_blob(const std::string& name) override;
  Result<PrunedBlobs> prune_blobs(bool only_look) override;
  void remember(Id session, const std::string& workspace) override;
  void enter(Id session, const std::string& workspace) override;
  std::optional<Id> last_used(const std::string& workspace) override;
  Result<std::vector<Stray>> strays() override;
  std::optional<Failure> lost(std::string_view key) override;
  Result<std::vector<SetAside>> set_aside(Id session) override;
  Result<std::size_t> bring_back(Id session) override;
  std::size_t older_forms() override;
  Result<std::string> repair(Id session) override;
  Result<std::vector<std::string>> remove_leftovers() override;
  Result<std::size_t> rebuild_index() override;

 private:
  Result<Transcript*> transcript_of(Id session);
  Result<log::Log*> log_of(Id session);
  SessionRecord record_of(const Transcript& transcript);
  using Fill = std::function<Result<void>(log::NewTranscript&)>;
  Result<Created> make(const SessionHeader& header, const Fill& fill);
  // What these do is safe while the index is locked.
  Result<SessionRecord> settle_restored(IndexChange& change, Id session);
  Result<files::OpenFile> locked_transcript(const IndexChange& change, Id session);
  Result<void> settle_pair(const IndexChange& change, Id session);
  // Writes down that a session's file is another one now; `known`: the index knew the one before.
  Result<void> became(IndexChange& change, Id session, const files::FileStat& stat, bool archived,
                      bool known);
  Result<void> unarchive_locked(const IndexChange& change, Id session);
  Result<std::string> free_key(IndexChange& change, Id session, const std::string& own);
  Result<MigrationResult> migrate_file(const std::string& source, Id session);
  Result<MigrationResult> set_legacy_aside(IndexChange& change, Id session,
                                           const std::string& source, MigrationResult result);
  bool open_transcript_fails(Id session);
  void scrub_session(const IndexChange& change, Id session, FileScrubber& scrubber);

  std::unique_ptr<files::Files> files_;
  HomeIndex index_;
  std::map<Id, Transcript> open_{};  // those that were opened
};

// The session a file in an older form is, or becomes.
std::optional<Id> session_of_legacy(std::string_view name);

}  // namespace skein::store::home
