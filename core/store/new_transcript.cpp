#include "core/store/new_transcript.h"

#include "core/store/seal.h"

namespace skein {

namespace {

constexpr std::size_t write_bytes = 1u << 20;

}  // namespace

NewTranscript::NewTranscript(Files& files, const SessionHeader& header, const std::string& path)
    : files_(files),
      header_(header),
      path_(path),
      temporary_(temporary_name(path_)),
      seed_(seal_seed(header.session)) {
  const int handle = files_.open(temporary_, OpenAs::creator);
  if (handle < 0)
    failed_ = handle;
  else
    file_ = OpenFile(files_, handle);
  there_ = handle >= 0;
  add(header_entry(header));
}

NewTranscript::~NewTranscript() {
  file_.reset();
  if (there_) files_.remove(temporary_);
}

// Every line is a batch of its own: what makes the whole all or nothing is its coming into place.
void NewTranscript::add(const Entry& entry) {
  if (failed_ < 0) return;
  const std::size_t from = buffer_.size();
  const SealedBatch sealed = seal_batch(std::span(&entry, 1), seed_, last_crc_);
  buffer_ += sealed.bytes;
  last_crc_ = sealed.last_crc;
  added(facts_of(entry, end_), from);
}

void NewTranscript::add(const Found& line) {
  // One that was altered is written as it should have been.
  if (!line.line || line.entry) return add(line.to_entry());
  if (failed_ < 0) return;
  const std::size_t from = buffer_.size();
  last_crc_ = append_resealed(buffer_, line.text, seed_, last_crc_);
  added({line.line->id, line.line->parent, line.line->type, line.line->timestamp, line.line->body,
         end_},
        from);
}

void NewTranscript::start_over() {
  if (failed_ == 0) failed_ = files_.truncate(file_.get(), 0);
  buffer_.clear();
  end_ = last_crc_ = 0;
  state_ = {};
  add(header_entry(header_));
}

void NewTranscript::added(const EntryFacts& facts, std::size_t from) {
  fold(state_, facts);
  end_ += buffer_.size() - from;
  if (buffer_.size() >= write_bytes) failed_ = flush();
}

int NewTranscript::flush() {
  const int written = write_all(files_, file_.get(), buffer_);
  buffer_.clear();
  return written;
}

int NewTranscript::finish() {
  if (failed_ < 0 || !file_.is_open()) return failed_;
  failed_ = flush();
  if (failed_ == 0) failed_ = files_.sync(file_.get());
  if (failed_ == 0) failed_ = files_.stat(file_.get(), stat_);
  file_.reset();
  return failed_;
}

int NewTranscript::link_into_place() {
  if (const int failed = finish(); failed < 0) return failed;
  if (const int failed = files_.link(temporary_, path_); failed < 0) return failed;
  files_.remove(temporary_);
  there_ = false;
  return files_.sync_folder(parent_folder(path_));
}

int NewTranscript::rename_into_place() {
  if (const int failed = finish(); failed < 0) return failed;
  if (const int failed = files_.rename(temporary_, path_); failed < 0) return failed;
  there_ = false;
  return files_.sync_folder(parent_folder(path_));
}

}  // namespace skein
