// What model calls may cost, and how long a turn may take: a count of what was spent and what is
// reserved. Sub-agents use the budget of the session that started them, so any thread may call it.
#pragma once

#include "core/text/base.h"

namespace skein::budget {

// 0: no limit.
struct SpendingLimits {
  double turn = 0, session = 0, day = 0;  // dollars
  std::int64_t turn_ms = 0;               // without waiting for the user
  bool any() const { return turn > 0 || session > 0 || day > 0 || turn_ms > 0; }
};

// "90s", "10m", "2h" in milliseconds. Throws Error (usage), which names the setting.
std::int64_t parse_time_limit(const std::string& setting, const std::string& text);

// What a call may cost at most, until its answer is there.
struct Reservation {
  std::string refusal{};  // why the call must not be made; empty: it may
  Id session{};
  double dollars = 0;
};

class Budget {
 public:
  struct Parts {
    SpendingLimits limits{};
    // What all sessions have cost today, by the local date; processes change it under a lock. A
    // reservation is added at once, so it counts in full if its process is killed.
    std::string day_file{};
    // Dollars of all calls in the logs from this timestamp on. Throws Error.
    std::function<double(const std::string& since)> logged = [](auto&&) { return 0; };
    std::function<std::int64_t()> now = now_ms;
  };
  explicit Budget(Parts parts) : parts_(std::move(parts)) {}
  const SpendingLimits& limits() const { return parts_.limits; }

  // `spent`: what the log of the session shows. Never lowers what is known to be spent. Until the
  // next turn begins, agents in the background count as part of this one.
  void begin_turn(Id session, double spent);
  void add_child(Id child, Id parent);
  // Between the two the user is asked, and the time of the turn does not pass.
  void begin_wait();
  void end_wait();

  // Before a call that costs at most so much; nullopt: the price of the model is not known.
  Reservation reserve(Id session, const std::string& model, std::optional<double> most);
  void replace(const Reservation& held, double spent);
  // Limits of which 80 % are used, each once a turn.
  std::vector<std::string> warnings(Id session);
  // What is used of each limit; empty: there is none.
  std::string summary(Id session, double spent);
  double used(Id session) const;  // with what is reserved

 private:
  using Clock = std::chrono::steady_clock;
  // A limit and what counts towards it.
  struct Level {
    std::string_view key, name, how_to_raise;
    double limit, used;
    std::string (*shown)(double);
    std::string refusal(double next) const;
  };
  std::vector<Level> levels(Id session) const;
  // False: the sum of the day would reach the limit, and stays as it is. Throws Error.
  bool change_day(double by, double limit = std::numeric_limits<double>::infinity());

  const Parts parts_;
  mutable std::mutex mutex_{};
  std::string date_{};
  double day_ = 0, turn_ = 0;  // with what is reserved
  double open_ = 0;            // what this process has reserved
  std::map<Id, double> sessions_{};
  std::map<Id, Id> parents_{};
  std::set<std::string_view> warned_{};  // keys, in this turn
  Clock::time_point began_ = Clock::now(), asked_{};
  Clock::duration waited_{};
  int waits_ = 0;
};

}  // namespace skein::budget
