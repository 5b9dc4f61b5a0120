// The append protocol. Every step is there because something was lost without it; FORMAT.md has the
// reasons. The lock is held for one append, never over a model call, a tool or a question.
#include "core/store/log/log_writer.h"

#include "core/text/log.h"
#include "core/text/request_text.h"

namespace skein::store::log {

namespace {

// A torn write of ours is at most one batch; what is larger was written by another program.
constexpr std::uint64_t max_torn_bytes = 2 * max_batch_bytes;

// Writing or syncing failed on a file that was there when it was locked. Never `gone`, whatever the
// disk says: a process that then opened the session would find the batch and take it for safe.
Failure unsafe(Failure failure) {
  if (failure.kind == Failure::Kind::gone) failure.kind = Failure::Kind::io;
  return failure;
}

struct Unlock {
  const files::OpenFile& file;
  ~Unlock() {
    if (file.is_open()) file.unlock();
  }
};

}  // namespace

Result<AppendResult> LogWriter::append(std::span<const NewEntry> entries,
                                       const AppendOptions& options) {
  for (bool again = false;; again = true) {
    TRY(lock_current());
    const Unlock unlock{file_};
    Attempt attempt = append_locked(entries, options);
    if (!attempt.sync_failed || again) return std::move(attempt.result);
    // The kernel may have dropped the pages it could not write and call the next sync on this
    // handle a success. A new handle, the same batch: its ids make that harmless.
    file_.reset();
  }
}

Result<void> LogWriter::append_all(std::span<const NewEntry> entries,
                                   const AppendOptions& options) {
  while (!entries.empty()) {
    std::size_t count = 0, bytes = 0;
    while (count < std::min(entries.size(), max_batch_entries) && bytes < max_batch_bytes / 4)
      bytes += entries[count++].entry.payload.size();
    TRY(append(entries.first(count), options));
    entries = entries.subspan(count);
  }
  return {};
}

Result<void> LogWriter::append_lines(Position end, std::span<const std::string> lines) {
  TRY(lock_current());
  const Unlock unlock{file_};
  TRY(take_back_unsynced());
  TRY(refresh());
  TRY(writable());
  TRY(check_lines(end, lines));
  TRY(quarantine_torn_tail());
  std::string bytes;
  for (const std::string& line : lines) bytes.append(line).append("\n");
  const Result<void> written = file_.write(bytes);
  const Result<void> synced = written ? file_.sync() : written;
  if (!synced) {
    if (!file_.truncate(end_)) unsynced_ = {end_, end_ + bytes.size()};
    return unsafe(synced.error());
  }
  return refresh();
}

Result<void> LogWriter::lock_current() {
  for (int tries = 0; tries < 3; ++tries) {
    if (!appending_ || !file_.is_open()) TRY(open(files::OpenAs::appender));
    TRY(file_.lock());
    // Between opening and locking, the file may have been archived, scrubbed or thrown away.
    const Result<files::FileStat> held = file_.stat(), there = files::stat(files_, path_);
    if (held && there && held->same_file(*there)) return {};
    file_.reset();
  }
  return Failure{Failure::Kind::gone, described(session_) + " no longer exists"};
}

LogWriter::Attempt LogWriter::append_locked(std::span<const NewEntry> entries,
                                            const AppendOptions& options) {
  if (const auto done = take_back_unsynced(); !done) return {done.error()};
  if (const auto done = refresh(); !done) return {done.error()};
  if (const auto done = writable(); !done) return {done.error()};
  if (const auto done = know_ids(options.check_all_ids ? Known::all : Known::recent); !done)
    return {done.error()};

  Result<std::vector<Entry>> batch = resolve(entries);
  if (!batch) return {batch.error()};
  AppendResult result{session_, std::nullopt, batch->size(), {}};
  if (!entries.empty()) result.last = entries.back().entry.id;
  if (batch->empty()) {
    // All there already. Their writer may have died before the sync.
    if (const auto synced = file_.sync(); !synced)
      return {unsafe(synced.error()), synced.error().kind == Failure::Kind::io};
    return {std::move(result)};
  }
  if (options.expected_tail && options.expected_tail != tail())
    return {conflict(*options.expected_tail)};

  if (const auto done = quarantine_torn_tail(); !done) return {done.error()};
  return write_batch(*std::move(batch), std::move(result), options.synced);
}

// It was not acknowledged, so it may go; unless another process has built on it and synced that.
Result<void> LogWriter::take_back_unsynced() {
  if (!unsynced_) return {};
  const files::FileStat now = TRY(file_.stat());
  if (now.size > unsynced_->begin && now.size <= unsynced_->end)
    TRY(file_.truncate(unsynced_->begin));
  unsynced_.reset();
  return {};
}

Result<void> LogWriter::quarantine_torn_tail() {
  if (stat_.size <= end_) return {};
  const std::uint64_t count = stat_.size - end_;
  if (count > max_torn_bytes)
    return Failure{Failure::Kind::damaged,
                   described(session_) + " has " + std::to_string(count) +
                       " unknown bytes after its last entry; it was not changed"};
  std::string torn(count, '\0');
  const std::size_t got = TRY(file_.read(torn.data(), count, end_));
  if (got < count)
    return Failure{Failure::Kind::io, described(session_) + ": its end cannot be read"};
  // Nothing but blank lines is ever dropped. The same bytes at the same place, from a repair that
  // was cut short before it could truncate, are there already.
  for (int number = 0; !is_blank(torn); ++number) {
    const std::string fragment = "quarantine/" + to_string(session_) + "." + std::to_string(end_) +
                                 (number == 0 ? "" : "." + std::to_string(number)) + ".frag";
    const Result<std::string> there = files::read_whole(files_, fragment, max_torn_bytes);
    if (there && *there == torn) break;
    if (there || (there.error().kind == Failure::Kind::refused && number < 1000)) continue;
    if (!there.error().missing) return there.error();
    TRY(files::replace_file(files_, fragment, torn));
    break;
  }
  TRY(file_.truncate(end_));
  // Else a crash during the write that follows could leave sectors of both, and no NUL would tell.
  if (const auto done = file_.sync(); !done) return unsafe(done.error());
  stat_.size = end_;
  log_warning("torn tail set aside", {{"session", to_string(session_)}, {"bytes", count}});
  return {};
}

LogWriter::Attempt LogWriter::write_batch(std::vector<Entry> batch, AppendResult result,
                                          bool synced_too) {
  const Result<SealedBatch> sealed = seal_batch(batch, seed_, last_crc_);
  if (!sealed) return {sealed.error()};
  const std::string bytes = (newline_missing_ ? "\n" : "") + sealed->bytes;
  const Result<void> written = file_.write(bytes);
  const Result<void> synced = written && synced_too ? file_.sync() : written;
  if (!synced) {
    bool sync_failed = written && synced.error().kind == Failure::Kind::io;
    // If this fails too, the next append finds either a torn tail or the whole batch. Trying again
    // at once would find it whole and sync pages the kernel has already given up.
    if (!file_.truncate(end_)) {
      sync_failed = false;
      unsynced_ = {end_, end_ + bytes.size()};
    }
    if (const auto now = file_.stat()) stat_ = *now;
    return {unsafe(synced.error()), sync_failed};
  }
  std::uint64_t at = end_ + (newline_missing_ ? 1 : 0);
  std::string_view rest = sealed->bytes;
  for (const Entry& entry : batch) {
    model::fold(state_, model::facts_of(entry, at));
    places_.emplace(entry.id, Place{at, model::is_marginal(entry.type)});
    const std::size_t length = rest.find('\n') + 1;
    at += length;
    rest.remove_prefix(length);
  }
  end_ = at;
  last_crc_ = sealed->last_crc;
  newline_missing_ = false;
  if (const auto now = file_.stat()) stat_ = *now;
  result.entries = std::move(batch);
  return {std::move(result)};
}

}  // namespace skein::store::log
