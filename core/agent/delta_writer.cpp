#include "core/agent/delta_writer.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

namespace skein::agent {

namespace {

// Longer words are neither words nor keys.
constexpr std::size_t longest_word = 4096;

// Where the last word begins. Keys are plain ASCII without blanks.
std::size_t last_word(std::string_view text) {
  const auto border = std::find_if(text.rbegin(), text.rend(), [](unsigned char c) {
    return c >= 0x80 || std::isspace(c) != 0;
  });
  return static_cast<std::size_t>(text.rend() - border);
}

// Letters followed by punctuation: no key begins like that.
bool ends_clause(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of("(\"'`*"), word.size()));
  const std::size_t letters = word.find_last_not_of(".,:;!?)\"'`*") + 1;
  return letters < word.size() && std::ranges::all_of(word.substr(0, letters), [](unsigned char c) {
           return std::isalpha(c) != 0;
         });
}

bool add_to(int both, int fd) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
  return epoll_ctl(both, EPOLL_CTL_ADD, fd, &event) == 0;
}

using model::payload::MessageDeltaBatch;

void add(std::vector<model::Block>& content, const MessageDeltaBatch::Piece& piece) {
  const bool joins =
      !content.empty() && std::holds_alternative<model::Thinking>(content.back()) == piece.thinking;
  if (!joins && piece.thinking) content.emplace_back(model::Thinking{});
  if (!joins && !piece.thinking) content.emplace_back(model::Text{});
  (piece.thinking ? std::get<model::Thinking>(content.back()).thinking
                  : std::get<model::Text>(content.back()).text) += piece.text;
}

}  // namespace

DeltaWriter::DeltaWriter(Turn& turn, const Parts& parts)
    : turn_(turn), parts_(parts), on_(parts.keep_deltas_ms > 0) {
  begin();
}

void DeltaWriter::begin() {
  turn_.answer = random_id();
  pending_.clear();
  written_ = Clock::now();
}

// Without a clock, a piece is written when the next one arrives.
model::Ports::Input DeltaWriter::watch(const model::Ports::Input& input) {
  if (!on_) return input;
  clock_ = Fd(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  both_ = Fd(epoll_create1(EPOLL_CLOEXEC));
  if (!clock_ || !both_ || !add_to(both_.get(), clock_.get()) ||
      (input.fd >= 0 && !add_to(both_.get(), input.fd))) {
    clock_.reset();
    return input;
  }
  return {both_.get(), [this, &input] {
            std::uint64_t rings = 0;
            if (::read(clock_.get(), &rings, sizeof rings) > 0) {
              clock_set_ = false;
              write(More::may_not_come);
            }
            if (input.fd >= 0 && is_readable(input.fd) && input.on_ready) input.on_ready();
          }};
}

void DeltaWriter::see(const model::Event& event) {
  if (!on_) return;
  // The pieces before it are discarded.
  if (std::holds_alternative<model::Retrying>(event)) return begin();
  const auto* streaming = std::get_if<model::Streaming>(&event);
  if (streaming == nullptr) return;
  if (const auto* text = std::get_if<model::delta::TextPiece>(&streaming->delta))
    add(false, text->text);
  if (const auto* thinking = std::get_if<model::delta::ThinkingPiece>(&streaming->delta))
    add(true, thinking->text);
  if (Clock::now() - written_ >= std::chrono::milliseconds(parts_.keep_deltas_ms))
    write(More::comes);
}

void DeltaWriter::add(bool thinking, const std::string& text) {
  if (text.empty()) return;
  if (pending_.empty() || pending_.back().thinking != thinking) pending_.push_back({thinking, {}});
  pending_.back().text += text;
  set_clock();
}

void DeltaWriter::set_clock() {
  if (!clock_ || std::exchange(clock_set_, true)) return;
  const std::int64_t ms = parts_.keep_deltas_ms;
  const itimerspec once{.it_interval = {},
                        .it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000}};
  timerfd_settime(clock_.get(), 0, &once, nullptr);
}

// A key that is cut in two would not be recognized and masked: so a word waits until it is whole.
std::vector<DeltaWriter::Piece> DeltaWriter::take_whole_words(More more) {
  std::vector<Piece> out = std::exchange(pending_, {});
  if (out.empty()) return out;
  std::string& last = out.back().text;
  const std::size_t whole = last_word(last);
  const std::string word = last.substr(whole);
  if (word.size() > longest_word || (more == More::may_not_come && ends_clause(word))) return out;
  if (!word.empty()) pending_.push_back({out.back().thinking, word});
  last.resize(whole);
  if (last.empty()) out.pop_back();
  return out;
}

// Not synced: it is to survive the process, not the machine. If it cannot be written, writing the
// answer itself will report why; it is not tried again for this one.
void DeltaWriter::write(More more) {
  written_ = Clock::now();
  std::vector<Piece> pieces = take_whole_words(more);
  if (pieces.empty()) return;
  const model::ModelRef& model = turn_.settings.model;
  model::Entry entry = model::make_entry(model::payload::MessageDeltaBatch{
      turn_.answer, model.provider, model.model, std::move(pieces)});
  on_ = bool(turn_.conversation.append({parts_.cleaned(std::move(entry), turn_.run_id)},
                                       {.patient = false, .synced = false}));
}

std::optional<model::Entry> unfinished_answer(store::SessionStore& store,
                                              const Conversation& conversation) {
  const std::optional<Id> wanted = conversation.state().unfinished;
  if (!wanted) return std::nullopt;
  std::vector<MessageDeltaBatch> batches;  // the last one first
  std::string run_id;
  const auto read =
      store.transcripts().load_back(conversation.session(), [&](const store::StoredEntry& placed) {
        const model::Entry& entry = placed.entry;
        if (!model::is_marginal(entry.type)) return false;
        auto batch = model::read_as<MessageDeltaBatch>(entry);
        if (!batch || batch->message != *wanted || entry.parent != conversation.head()) return true;
        run_id = entry.run_id;
        batches.push_back(*std::move(batch));
        return true;
      });
  if (!read || batches.empty()) return std::nullopt;
  model::Message message{.role = model::Role::assistant,
                         .provider = batches.front().provider,
                         .model = batches.front().model,
                         .stop = model::Stop::interrupted};
  for (const MessageDeltaBatch& batch : batches | std::views::reverse)
    for (const MessageDeltaBatch::Piece& piece : batch.pieces) add(message.content, piece);
  if (message.content.empty()) return std::nullopt;
  model::Entry entry = model::message_entry(message);
  entry.id = *wanted;
  entry.run_id = run_id;
  return entry;
}

}  // namespace skein::agent
