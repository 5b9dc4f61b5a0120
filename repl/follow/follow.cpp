#include "repl/follow/follow.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/payloads.h"
#include "core/model/redaction.h"
#include "core/store/session_name.h"
#include "core/text/base.h"

namespace skein::follow {

using store::SessionRecord, store::StoredEntry, store::value_or_throw;

namespace {

// Where nothing tells us of changes (a network's disk, a pooler before a database) we look.
constexpr std::chrono::milliseconds looking_interval{2000}, impatient_interval{250};

class Follower {
 public:
  Follower(store::SessionStore& store, Id session, const Ports& ports)
      : store_(store), session_(session), ports_(ports) {}

  End run(std::size_t before) {
    const SessionRecord record = value_or_throw(store_.open(session_));
    key_ = record.key;
    show_last(record, before);
    note_end();
    watch_ = store_.watch(session_);
    for (;;) {
      look();
      tell_who();
      if (wants_it_ && is_free()) return End::taken_over;
      const Wish wish = ports_.wait(watch_ ? watch_->descriptor() : -1,
                                    wants_it_ ? impatient_interval : looking_interval);
      if (watch_) watch_->take();
      if (wish == Wish::leave) return End::left;
      if (wish == Wish::take_over) change_mind();
    }
  }

 private:
  void show(const SessionRecord& record, StoredEntry placed) const {
    // The pieces of an answer are its beginning once more.
    if (placed.entry.type == model::type::session_header ||
        placed.entry.type == model::type::message_delta_batch)
      return;
    placed.entry = model::masked(placed.entry, record.state.redacted);
    ports_.show(placed);
  }

  void show_last(const SessionRecord& record, std::size_t before) const {
    if (!record.state.head || before == 0) return;
    std::size_t met = 0;
    const store::Path path = value_or_throw(
        store_.path_until(session_, *record.state.head, [&](const model::Entry& entry) {
          return entry.type == model::type::message && ++met >= before;
        }));
    for (const StoredEntry& placed : path.entries) show(record, placed);
  }

  // Where the session ends by now: what comes behind it is new.
  void note_end() {
    last_.reset();
    value_or_throw(store_.load_back(session_, [this](const StoredEntry& placed) {
      last_ = {placed.entry.id, placed.at};
      return false;
    }));
  }

  void look() {
    const store::Result<SessionRecord> now = store_.open(session_);
    if (!now && now.error().kind == store::Failure::Kind::unreachable) {
      if (!std::exchange(told_of_loss_, true))
        ports_.say(now.error().text + "; it is tried again\n");
      // What told us is gone as well.
      watch_.reset();
      return;
    }
    const SessionRecord record = store::still_there(now, key_);
    if (std::exchange(told_of_loss_, false)) {
      ports_.say("connected again\n");
      watch_ = store_.watch(session_);
    }
    bool known = !last_;
    std::optional<Place> end = last_;
    value_or_throw(
        store_.load_from(session_, last_ ? last_->at : 0, [&](const StoredEntry& placed) {
          if (!known && placed.entry.id != last_->entry) return false;
          if (known) show(record, placed);
          known = true;
          end = {placed.entry.id, placed.at};
          return true;
        }));
    last_ = end;
    if (known) return;
    ports_.say("the session was rewritten; what is said from here on is shown\n");
    note_end();
  }

  void tell_who() {
    const auto workers = store_.at_work(std::span(&session_, 1));
    const auto found = workers.find(session_);
    std::string who = found == workers.end() ? "" : found->second;
    if (who_ == who) return;
    who_ = std::move(who);
    ports_.say(
        who_->empty()
            ? std::string("nobody is at work there") +
                  (ports_.can_take_over ? "; t takes over, q ends\n" : "\n")
            : *who_ + " is at work there" +
                  (ports_.can_take_over ? "; t takes over when it is done, q ends\n" : "\n"));
  }

  bool is_free() {
    const auto lease = store_.hold(session_, store::LockMode::exclusive);
    return lease || lease.error().kind != store::Failure::Kind::busy;
  }

  void change_mind() {
    wants_it_ = !wants_it_;
    if (wants_it_ && !is_free())
      ports_.say("this takes over as soon as the turn is done; t again: it does not\n");
    if (!wants_it_) ports_.say("this only follows\n");
  }

  struct Place {
    Id entry{};
    store::Position at = 0;
  };

  store::SessionStore& store_;
  const Id session_;
  std::string key_{};
  const Ports& ports_;
  std::unique_ptr<store::SessionWatch> watch_{};
  std::optional<Place> last_{};
  std::optional<std::string> who_{};  // as last told; none: nothing was
  bool wants_it_ = false, told_of_loss_ = false;
};

}  // namespace

End follow(store::SessionStore& store, Id session, std::size_t before, const Ports& ports) {
  return Follower(store, session, ports).run(before);
}

}  // namespace skein::follow
