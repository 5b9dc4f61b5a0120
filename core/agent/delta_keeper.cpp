#include "core/agent/delta_keeper.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>
#include <variant>

#include "core/text/wait.h"

namespace skein::agent {

namespace {

// Longer words are no words, and no keys either.
constexpr std::size_t longest_word = 4096;

// Where the last word begins. Keys are plain ASCII without blanks.
std::size_t last_word(std::string_view text) {
  const auto border = std::find_if(text.rbegin(), text.rend(), [](unsigned char c) {
    return c >= 0x80 || std::isspace(c) != 0;
  });
  return static_cast<std::size_t>(text.rend() - border);
}

// Letters and a mark that ends a sentence or a clause: no beginning of a key looks like that.
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

// Without a clock what came last is written when the next piece comes.
model::Ports::Input DeltaKeeper::watch(const model::Ports::Input& input) {
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
  if (Clock::now() - written_ >= std::chrono::milliseconds(parts_.keep_deltas_ms))
    write(More::comes);
}

void DeltaKeeper::add(bool thinking, const std::string& text) {
  if (text.empty()) return;
  if (pending_.empty() || pending_.back().thinking != thinking) pending_.push_back({thinking, {}});
  pending_.back().text += text;
  set_clock();
}

void DeltaKeeper::set_clock() {
  if (!clock_ || std::exchange(clock_set_, true)) return;
  const std::int64_t ms = parts_.keep_deltas_ms;
  const itimerspec once{.it_interval = {},
                        .it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000}};
  timerfd_settime(clock_.get(), 0, &once, nullptr);
}

// A key that is cut in two would not be recognized and masked: so a word waits until it is whole.
std::vector<DeltaKeeper::Piece> DeltaKeeper::take_whole_words(More more) {
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

// Not synced: it is to survive the process, not the machine. If it cannot be written, the answer
// itself will tell; it is not tried again for this one.
void DeltaKeeper::write(More more) {
  written_ = Clock::now();
  std::vector<Piece> pieces = take_whole_words(more);
  if (pieces.empty()) return;
  const model::ModelRef& model = turn_.settings.model;
  model::Entry entry = model::make_entry(model::payload::MessageDeltaBatch{
      turn_.answer, model.provider, model.model, std::move(pieces)});
  entry.run_id = turn_.run_id;
  entry.payload = parts_.clean(std::move(entry.payload));
  on_ = bool(turn_.conversation.append({std::move(entry)}, {.patient = false, .synced = false}));
}

}  // namespace skein::agent
