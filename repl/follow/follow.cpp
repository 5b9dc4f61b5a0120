#include "repl/follow/follow.h"

#include "core/model/scrub.h"
#include "core/store/session_name.h"

namespace skein::follow {

using store::SessionRecord, store::StoredEntry, store::value_or_throw;

namespace {

// Where nothing tells us of changes (a network's disk, a pooler before a database) we look.
constexpr std::chrono::milliseconds looking_interval{2000}, impatient_interval{250};

class Follower {
 public:
  Follower(store::SessionStore& store, Id session, const FollowPorts& ports)
      : store_(store), session_(session), ports_(ports) {}

  FollowEnd run(std::size_t before) {
    const SessionRecord record = store_.open(session_);
    key_ = record.key;
    show_last(record, before);
    note_end();
    watch_ = store_.presence().watch(session_);
    for (;;) {
      look();
      tell_who();
      if (wants_it_ && is_free()) return FollowEnd::taken_over;
      const FollowAction action = ports_.wait(watch_ ? watch_->descriptor() : -1,
                                              wants_it_ ? impatient_interval : looking_interval);
      if (watch_) watch_->take();
      if (action == FollowAction::leave) return FollowEnd::left;
      if (action != FollowAction::take_over || !ports_.can_take_over) continue;
      wants_it_ = !wants_it_;
      if (!wants_it_)
        ports_.say("not taking over\n");
      else if (!is_free())
        ports_.say("taking over when the current turn ends; press t again to cancel\n");
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
    value_or_throw(store_.transcripts().load_back(session_, [this](const StoredEntry& placed) {
      last_ = {placed.entry.id, placed.at};
      return false;
    }));
  }

  void look() {
    const store::Result<SessionRecord> now = store_.sessions().open(session_);
    if (!now && now.error().kind == store::Failure::Kind::unreachable) {
      if (!std::exchange(told_of_loss_, true)) ports_.say(now.error().text + "; retrying\n");
      // The watch is gone as well.
      watch_.reset();
      return;
    }
    const SessionRecord record = store::still_there(now, key_);
    if (std::exchange(told_of_loss_, false)) {
      ports_.say("connected again\n");
      watch_ = store_.presence().watch(session_);
    }
    bool known = !last_;
    std::optional<Place> end = last_;
    value_or_throw(
        store_.transcripts().load(session_, last_ ? last_->at : 0, [&](const StoredEntry& placed) {
          if (!known && placed.entry.id != last_->entry) return false;
          if (known) show(record, placed);
          known = true;
          end = {placed.entry.id, placed.at};
          return true;
        }));
    last_ = end;
    if (known) return;
    ports_.say("the session was rewritten; only new messages are shown\n");
    note_end();
  }

  void tell_who() {
    const auto workers = store_.presence().at_work(std::span(&session_, 1));
    const auto found = workers.find(session_);
    std::string who = found == workers.end() ? "" : found->second;
    if (who_ == who) return;
    who_ = std::move(who);
    ports_.say((who_->empty() ? "no process" : *who_) + " is using this session" +
               (!ports_.can_take_over ? "\n"
                : who_->empty()       ? "; t takes over, q quits\n"
                                      : "; t takes over when the turn ends, q quits\n"));
  }

  bool is_free() {
    const auto lease = store_.presence().hold(session_, store::LockMode::exclusive);
    return lease || lease.error().kind != store::Failure::Kind::busy;
  }

  struct Place {
    Id entry{};
    store::Position at = 0;
  };

  store::SessionStore& store_;
  const Id session_;
  std::string key_{};
  const FollowPorts& ports_;
  std::unique_ptr<store::SessionWatch> watch_{};
  std::optional<Place> last_{};
  std::optional<std::string> who_{};  // as last shown; none: nothing was
  bool wants_it_ = false, told_of_loss_ = false;
};

}  // namespace

FollowEnd follow(store::SessionStore& store, Id session, std::size_t before,
                 const FollowPorts& ports) {
  return Follower(store, session, ports).run(before);
}

FollowPorts ports_at(terminal::Keyboard& keyboard, screen::Screen& screen,
                     const std::atomic<bool>& stop) {
  FollowPorts ports{.can_take_over = true};
  ports.show = [&screen](const store::StoredEntry& placed) {
    const std::string& type = placed.entry.type;
    if (type != model::type::message && type != model::type::compaction_summary) return;
    if (placed.altered) screen.print(std::string(store::altered_mark) + "\n");
    screen.replay(placed.entry);
    screen.flush();
  };
  ports.say = [&screen](const std::string& text) {
    screen.start_line();
    screen.print_untrusted(text);
    screen.flush();
  };
  // As long as it is followed, keys are keys; shared by the copies of the function.
  const auto mode = std::make_shared<terminal::TerminalMode>(keyboard.terminal(),
                                                             terminal::Terminal::Mode::editing);
  ports.wait = [&keyboard, &stop, mode](int descriptor, std::chrono::milliseconds pause) {
    const auto stopped = [&] { return stop.load() || keyboard.hung_up(); };
    if (!keyboard.typed_ahead()) {
      std::array<pollfd, 2> fds{pollfd{keyboard.terminal().in(), POLLIN, 0},
                                pollfd{descriptor, POLLIN, 0}};
      wait(fds, std::chrono::steady_clock::now() + pause, stopped);
    }
    keyboard.terminal().take_resize();
    FollowAction action = stopped() ? FollowAction::leave : FollowAction::none;
    while (action == FollowAction::none && keyboard.typed_ahead()) {
      terminal::Key key;
      const auto got = keyboard.next(key, std::chrono::milliseconds(0), stopped);
      if (got == terminal::Keyboard::KeyResult::hang_up) action = FollowAction::leave;
      if (got != terminal::Keyboard::KeyResult::key) break;
      if (terminal::is_letter(key, 't')) action = FollowAction::take_over;
      if (terminal::leaves(key)) action = FollowAction::leave;
    }
    return action;
  };
  return ports;
}

}  // namespace skein::follow
