// One session's transcript: opened, kept up to date, read. Never written to.
#pragma once

#include "core/store/backend.h"
#include "core/store/files/named_files.h"
#include "core/store/log/scan.h"

namespace skein::store::log {

// The first line of a transcript, to and from its entry.
Entry header_entry(const SessionHeader& header);
std::optional<SessionHeader> header_from(const Entry& entry);

std::string transcript_path(Id session);

// What the index remembers of a transcript, so that opening it need not read it all.
struct LogMemory {
  SessionHeader header{};
  SessionState state{};
  files::FileStat stat{};
  std::uint64_t end = 0;  // of what was committed
  std::uint32_t last_crc = 0;
  DamageCount damage{};  // before `end`, as far as anybody has looked
};

class LogReader {
 public:
  LogReader(files::Files& files, Id session, std::string path);
  virtual ~LogReader() = default;

  // Reads what is new since the last time, or everything if the file is another than the one that
  // was known. `memory` shortens the first opening, where it is still right.
  Result<void> refresh(const LogMemory* memory = nullptr);

  Result<void> each(Position from, const VisitEntry& visit);
  Result<void> each_back(std::optional<Position> from, const VisitEntry& visit);
  // Every line that counts, unchanged, the header's too.
  Result<void> each_line(const VisitLine& visit) { return lines_from(0, visit); }
  Result<void> lines_from(std::uint64_t border, const VisitLine& visit);  // between two batches
  // The same as texts, for another store; `damaged` if one is not as it was written.
  Result<void> give_lines(std::uint64_t border, const VisitText& visit);
  Result<void> survey(const VisitFacts& visit);
  Result<StoredEntry> at(Position position);
  // Reads the whole file if it must; `gone`: not there.
  virtual Result<Position> locate(Id entry);
  Result<Damage> examine();

  Result<void> sync() { return file_.sync(); }  // what has been read, from any process
  Result<void> writable() const;
  const SessionHeader& header() const { return header_; }
  const SessionState& state() const { return state_; }
  LogMemory memory() const { return {header_, state_, stat_, end_, last_crc_, damage_}; }

 protected:
  Result<void> open(files::OpenAs as);
  enum class Known { nothing, recent, all };
  Result<void> know_ids(Known wanted);

  files::Files& files_;
  const Id session_;
  const std::string path_;
  const std::uint32_t seed_;

  files::OpenFile file_{};
  bool appending_ = false;  // it was opened for that
  files::FileStat stat_{};
  std::uint64_t end_ = 0;  // of what was committed
  std::uint32_t last_crc_ = 0;
  bool newline_missing_ = false;
  SessionState state_{};
  struct Place {
    Position at = 0;
    bool marginal = false;
  };
  std::unordered_map<Id, Place> places_{};

 private:
  Result<void> adopt(const LogMemory& memory, const files::FileStat& now);
  bool ends_as_known() const;
  Result<void> read_from(std::uint64_t offset, const files::FileStat& now);
  Result<ScanEnd> scan_all(const std::function<void(const ScannedLine&)>& visit);
  void take(const ScannedLine& found);
  void count_damage(const ScannedLine& found);
  void settle_head();
  void forget();
  Result<std::string> line_at(Position position) const;
  std::optional<std::uint64_t> batch_end(Position position) const;

  std::uint64_t acknowledged_ = 0;  // below this, what does not verify was altered, not torn
  bool header_seen_ = false;        // and it verified
  bool any_seen_ = false;           // some entry of this session
  SessionHeader header_{};
  DamageCount damage_{};
  std::uint64_t broken_end_ = 0;  // of the last stretch that could not be read
  std::set<Position> altered_{};  // entries, as far as a scan has met them
  Known known_ = Known::nothing;
};

// Reads a transcript backwards from `end`, a border between batches, newest line first, until
// `each` returns false or the file begins. Only verified batches are given. `damaged` as soon as
// one is damaged: then only a scan can find the entries. Returns the crc of the batch
// that ends at `end`.
Result<std::uint32_t> read_back(const files::OpenFile& file, Id session, std::uint64_t end,
                                const VisitLine& each);

}  // namespace skein::store::log
