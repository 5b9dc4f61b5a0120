#include "core/agent/delta_keeper.h"

#include <utility>
#include <variant>

namespace skein::agent {

namespace {

// Longer words are no words, and no keys either.
constexpr std::size_t longest_word = 4096;

}  // namespace

DeltaKeeper::DeltaKeeper(Turn& turn, const Parts& parts)
    : turn_(turn), parts_(parts), on_(parts.keep_deltas_ms > 0) {
  begin();
}

void DeltaKeeper::begin() {
  turn_.answer = random_id();
  pending_.clear();
  written_ = Clock::now();
}

void DeltaKeeper::see(const model::Event& event) {
  if (!on_) return;
  // What had come before counts no more.
  if (std::holds_alternative<model::Retrying>(event)) return begin();
  const auto* streaming = std::get_if<model::Streaming>(&event);
  if (streaming == nullptr) return;
  if (const auto* text = std::get_if<model::delta::TextPiece>(&streaming->delta))
    add(false, text->text);
  if (const auto* thinking = std::get_if<model::delta::ThinkingPiece>(&streaming->delta))
    add(true, thinking->text);
  if (Clock::now() - written_ >= std::chrono::milliseconds(parts_.keep_deltas_ms)) write();
}

void DeltaKeeper::add(bool thinking, const std::string& text) {
  if (text.empty()) return;
  if (pending_.empty() || pending_.back().thinking != thinking) pending_.push_back({thinking, {}});
  pending_.back().text += text;
}

// A key that is cut in two would not be recognized and masked: so a word waits until it is whole.
std::vector<DeltaKeeper::Piece> DeltaKeeper::take_whole_words() {
  std::vector<Piece> out = std::exchange(pending_, {});
  if (out.empty()) return out;
  std::string& last = out.back().text;
  const std::size_t blank = last.find_last_of(" \t\r\n");
  const std::size_t whole = blank == std::string::npos ? 0 : blank + 1;
  if (last.size() - whole > longest_word) return out;
  if (whole < last.size()) pending_.push_back({out.back().thinking, last.substr(whole)});
  last.resize(whole);
  if (last.empty()) out.pop_back();
  return out;
}

// If it cannot be written, the answer itself will tell; it is not tried again for this one.
void DeltaKeeper::write() {
  written_ = Clock::now();
  std::vector<Piece> pieces = take_whole_words();
  if (pieces.empty()) return;
  const model::ModelRef& model = turn_.settings.model;
  model::Entry entry = model::make_entry(model::payload::MessageDeltaBatch{
      turn_.answer, model.provider, model.model, std::move(pieces)});
  entry.run_id = turn_.run_id;
  entry.payload = parts_.clean(std::move(entry.payload));
  on_ = bool(turn_.conversation.append({std::move(entry)}));
}

}  // namespace skein::agent
