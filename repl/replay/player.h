// Shows a transcript step by step, in its own time, and stops where a tool failed.
#pragma once

#include "core/store/session_store.h"
#include "repl/screen/screen.h"
#include "repl/terminal/keyboard.h"

namespace skein::replay {

struct ReplayStep {
  model::Entry entry{};  // masked, if it was redacted
  bool altered = false;  // since it was written
  bool failed = false;   // the result of a call that failed
  // The step it follows, if that is not the one before: another branch begins or continues.
  std::optional<std::size_t> follows{};
};

// A transcript as it happened: every entry in the order it was written, whatever branch it is on,
// except those that mean nothing to a reader. Only the position of each is kept in memory.
class ReplaySteps {
 public:
  // The store must outlive this. Throws Error if the session cannot be read.
  ReplaySteps(store::SessionStore& store, const store::SessionRecord& record);

  std::size_t size() const { return places_.size(); }
  ReplayStep at(std::size_t number) const;  // from 0; throws Error
  // Of the nearest step before it, if it is left out.
  std::optional<std::size_t> number_of(Id entry) const;
  // How long after the one before it was written; 0: at once, or not known.
  std::int64_t gap_ms(std::size_t number) const;

 private:
  struct Place {
    Id id{};
    std::optional<Id> parent{};
    store::Position at = 0;
    std::optional<std::int64_t> time_ms{};
    bool marginal = false;
  };

  // `entry`, or the nearest one before it that is not left out.
  std::optional<Id> shown_before(std::optional<Id> entry) const;

  store::SessionStore& store_;
  Id session_;
  std::set<Id> redacted_;
  std::vector<Place> places_{};
  std::map<Id, std::optional<Id>> left_out_{};  // and their parents; without the marginal ones
};

struct ReplayRequest {
  std::size_t from = 0;      // the first step to show
  bool step = false;         // wait for the user after each
  double speed = 1;          // times as fast as it was
  bool until_error = false;  // no waiting, and no further than the first failure
};

enum class ReplayAnswer { go_on, branch, quit };

struct ReplayPorts {
  std::function<void(const std::string& untrusted)> print;
  // Null: no user can be asked. Then nothing is waited for either.
  std::function<ReplayAnswer(const std::string& question, bool may_branch)> ask{};
  // False: the user wants it to end.
  std::function<bool(std::chrono::milliseconds)> wait = [](std::chrono::milliseconds) {
    return true;
  };
};

struct Played {
  std::size_t shown = 0;          // steps
  std::optional<Id> branch{};     // the user wants to go on from this entry
  std::optional<Id> failed_at{};  // where it ended, with ReplayRequest::until_error
  bool quit = false;
};

Played play(const ReplaySteps& steps, const ReplayRequest& request, const ReplayPorts& ports);

// "Step 3 of 41 · tool failed · 2026-11-10 10:00:01 · 0f1e2d" and what it says.
std::string text_of(const ReplaySteps& steps, std::size_t number, const ReplayStep& step);
// How long to wait before a step.
std::chrono::milliseconds pause_before(std::int64_t gap_ms, double speed);

// How a replay waits and asks at a terminal. All must outlive what is returned. A key shortens a
// pause; q, Esc and ^C end it all, as `stop` does.
ReplayPorts ports_at(terminal::Keyboard& keyboard, screen::Screen& screen,
                     const std::atomic<bool>& stop);

}  // namespace skein::replay
