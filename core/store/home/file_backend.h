// Sessions as files in one home folder: transcripts/, trash/, quarantine/, blobs/,
// sessions.json, last.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/store/backend.h"
#include "core/store/files/files.h"
#include "core/store/home/home_index.h"
#include "core/store/home/packed.h"
#include "core/store/log/new_transcript.h"

namespace skein::store::home {

class FileScrubber;

class FileBackend : public StorageBackend {
 public:
  explicit FileBackend(std::unique_ptr<files::Files> files, HomeIndex::Tell tell = {});

  std::vector<SessionRecord> list() override;
  std::optional<Id> find_key(std::string_view key) override;
  Outcome<SessionRecord> open(Id session) override;
  Outcome<SessionRecord> create(const SessionHeader& header, std::span<const NewEntry> entries,
                                bool& made) override;
  Outcome<SessionRecord> fork(const SessionHeader& header, std::span<const ForkExtra> asides,
                              bool& made) override;
  Outcome<AppendResult> append(Id session, std::span<const NewEntry> entries,
                               const AppendOptions& options) override;
  std::optional<Failure> load(Id session, model::Position from,
                              const std::function<bool(const StoredEntry&)>& each) override;
  std::optional<Failure> survey(Id session,
                                const std::function<void(const model::EntryFacts&)>& each) override;
  std::optional<Failure> load_back(Id session, std::optional<model::Position> from,
                                   const std::function<bool(const StoredEntry&)>& each) override;
  Outcome<StoredEntry> load_at(Id session, model::Position at) override;
  Outcome<model::Position> locate(Id session, Id entry) override;
  Outcome<Damage> examine(Id session) override;
  DamageCount damage_met(Id session) override;
  Outcome<SessionLease> hold(Id session, LockMode company) override;
  std::optional<Failure> erase(Id session) override;
  Outcome<SessionRecord> restore(std::string_view name) override;
  Outcome<EmptiedTrash> empty_trash() override;
  std::optional<Failure> archive(Id session) override;
  std::optional<Failure> unarchive(Id session) override;
  Outcome<Scrubbed> scrub(Id session, Id entry, const ScrubWish& wish) override;
  Outcome<MigrationResult> migrate(Id session) override;
  Outcome<std::vector<MigrationResult>> migrate_strays() override;
  Outcome<std::string> keep_blob(std::string_view bytes) override;
  Outcome<std::string> load_blob(const std::string& name) override;
  Outcome<PrunedBlobs> prune_blobs(bool only_look) override;
  void remember(Id session, const std::string& workspace) override;
  void enter(Id session, const std::string& workspace) override;
  std::optional<Id> last_used(const std::string& workspace) override;
  std::vector<Stray> strays() override;
  std::optional<Failure> lost(std::string_view key) override;
  Outcome<std::vector<SetAside>> set_aside(Id session) override;
  Outcome<std::size_t> bring_back(Id session) override;
  std::size_t older_forms() override;
  Outcome<std::string> repair(Id session) override;
  Outcome<std::vector<std::string>> remove_leftovers() override;
  std::size_t rebuild_index() override;

 private:
  Outcome<Transcript*> transcript_of(Id session);
  Outcome<log::Log*> log_of(Id session);
  SessionRecord record_of(const Transcript& transcript);
  using Fill = std::function<std::optional<Failure>(log::NewTranscript&)>;
  Outcome<SessionRecord> make(const SessionHeader& header, const Fill& fill, bool& made);
  Outcome<SessionRecord> settle_restored(Id session);
  // The index is locked by the caller.
  Outcome<files::OpenFile> locked_transcript(Id session);
  std::optional<Failure> settle_pair(Id session);
  // Writes down that a session's file is another one now; `known`: the index knew the one before.
  std::optional<Failure> became(Id session, const files::FileStat& stat, bool archived, bool known);
  std::optional<Failure> unarchive_locked(Id session);
  std::string free_key(Id session, const std::string& own);
  Outcome<MigrationResult> migrate_file(const std::string& source, Id session);
  Outcome<MigrationResult> set_legacy_aside(Id session, const std::string& source,
                                            MigrationResult result);
  bool open_transcript_fails(Id session);
  void scrub_session(Id session, FileScrubber& scrubber);

  std::unique_ptr<files::Files> files_;
  HomeIndex index_;
  std::map<Id, Transcript> open_{};  // those that were opened
};

// The session a file in an older form is, or becomes.
std::optional<Id> session_of_legacy(std::string_view name);

}  // namespace skein::store::home
