#include "core/store/log/new_transcript.h"

namespace skein::store::log {

NewTranscript::NewTranscript(files::Files& files, const SessionHeader& header,
                             const std::string& doing, const std::string& path)
    : header_(header), seed_(seal_seed(header.session)), file_(files, path, doing) {
  add(header_entry(header));
}

// Every line is a batch: what makes the whole all or nothing is its coming into place.
void NewTranscript::add(const Entry& entry) {
  const Result<SealedBatch> sealed = seal_batch(std::span(&entry, 1), seed_, last_crc_);
  if (!sealed) {
    if (sealed_) sealed_ = sealed.error();
    return;
  }
  model::fold(state_, model::facts_of(entry, end_));
  write(sealed->bytes);
  last_crc_ = sealed->last_crc;
}

void NewTranscript::add(const ScannedLine& found) {
  // One that was altered is written as it should have been.
  if (!found.line || found.entry) return add(found.to_entry());
  EntryFacts facts = found.facts();
  facts.at = end_;
  model::fold(state_, facts);
  const NewSeal seal = seal_anew(found.text, seed_, last_crc_);
  write(found.text.substr(0, found.text.size() - seal_width));
  write({seal.text, sizeof seal.text});
  last_crc_ = seal.crc;
}

void NewTranscript::write(std::string_view bytes) {
  file_.write(bytes);
  end_ += bytes.size();
}

void NewTranscript::start_over() {
  file_.start_over();
  end_ = last_crc_ = 0;
  state_ = {};
  sealed_ = {};
  add(header_entry(header_));
}

}  // namespace skein::store::log
