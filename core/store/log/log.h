// One session's transcript: opened, kept up to date, appended to, repaired. The protocol is in
// FORMAT.md; its order of steps is what keeps an acknowledged entry from being lost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/tree.h"
#include "core/store/backend.h"
#include "core/store/files/files.h"
#include "core/store/log/scan.h"

namespace skein::store::log {

std::string transcript_path(Id session);

// What the index remembers of a transcript, so that opening it need not read it all.
struct LogMemory {
  SessionHeader header{};
  model::SessionState state{};
  files::FileStat stat{};
  std::uint64_t end = 0;  // of what was committed
  std::uint32_t last_crc = 0;
  DamageCount damage{};  // before `end`, as far as anybody has looked
};

class Log {
 public:
  Log(files::Files& files, Id session) : Log(files, session, transcript_path(session)) {}
  Log(files::Files& files, Id session, std::string path);

  // Reads what is new since the last time, or everything if the file is another than the one that
  // was known. `memory` shortens the first opening, where it is still right.
  Result<void> refresh(const LogMemory* memory = nullptr);

  Result<AppendResult> append(std::span<const NewEntry> entries, const AppendOptions& options);

  Result<void> each(model::Position from, const std::function<bool(const StoredEntry&)>& visit);
  Result<void> survey(const std::function<void(const model::EntryFacts&)>& visit);
  // Every line that counts, as it stands, the header's too; `visit` returns false to end it.
  Result<void> each_line(const std::function<bool(const ScannedLine&)>& visit);
  Result<void> each_back(std::optional<model::Position> from,
                         const std::function<bool(const StoredEntry&)>& visit);
  Result<StoredEntry> at(model::Position position);
  Result<Damage> examine();
  Result<model::Position> locate(Id entry);  // reads the whole file if it must; `gone`: not there
  const DamageCount& damage_met() const { return damage_; }

  Result<void> sync();  // what has been read, whoever wrote it
  Result<void> writable() const;
  const SessionHeader& header() const { return header_; }
  const model::SessionState& state() const { return state_; }
  LogMemory memory() const;
  std::uint64_t bytes() const { return stat_.size; }

 private:
  enum class Known { nothing, recent, all };

  Result<void> open(files::OpenAs as);
  Result<void> adopt(const LogMemory& memory);
  bool ends_as_known();
  Result<void> read_from(std::uint64_t offset);
  Result<ScanEnd> scan_all(const std::function<void(const ScannedLine&)>& visit);
  void count_damage(const ScannedLine& found);
  void settle_head();
  void take(const ScannedLine& found);
  void forget();
  Result<void> know_ids(Known wanted);

  Result<void> lines_from(std::uint64_t border,
                          const std::function<bool(const ScannedLine&)>& visit);
  Result<std::string> line_at(model::Position position);
  std::optional<std::uint64_t> batch_begin(model::Position position);
  std::optional<std::uint64_t> batch_end(model::Position position);

  Result<void> lock_current();
  struct Attempt {
    Result<AppendResult> result;
    bool sync_failed = false;  // and nothing is left of it
  };
  Attempt append_locked(std::span<const NewEntry> entries, const AppendOptions& options);
  Result<std::vector<model::Entry>> resolve(std::span<const NewEntry> entries);
  Result<bool> same_content(const NewEntry& given, model::Position where);
  std::optional<Id> tail();
  Failure conflict(Id expected);
  Result<void> take_back_unsynced();
  Result<void> quarantine_torn_tail();
  Attempt write_batch(std::vector<model::Entry> batch, AppendResult result);

  files::Files& files_;
  const Id session_;
  const std::string path_;
  const std::uint32_t seed_;

  files::OpenFile file_{};
  bool appending_ = false;  // file_ was opened for it
  files::FileStat stat_{};
  std::uint64_t end_ = 0;
  std::uint32_t last_crc_ = 0;
  bool newline_missing_ = false;
  std::uint64_t acknowledged_ = 0;  // below this, what does not verify was altered, not torn

  // A batch whose sync failed and that could not be taken back: whole, but perhaps only in the
  // kernel's memory.
  std::optional<Damage::Range> unsynced_{};

  bool header_seen_ = false;  // and it verified
  bool any_seen_ = false;     // some entry of this session
  SessionHeader header_{};
  model::SessionState state_{};
  DamageCount damage_{};
  std::uint64_t broken_end_ = 0;         // of the last stretch that could not be read
  std::set<model::Position> altered_{};  // entries, as far as a scan has met them

  Known known_ = Known::nothing;
  struct Place {
    model::Position at = 0;
    bool marginal = false;
  };
  std::unordered_map<Id, Place> places_{};
};

// The header's entry, as the first line of a new transcript.
model::Entry header_entry(const SessionHeader& header);
std::optional<SessionHeader> header_from(const model::Entry& entry);

}  // namespace skein::store::log
