// Which model answers when the chosen one cannot: its service is overloaded, out of quota, or no
// longer has it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/agent/turn.h"

namespace skein::agent {

class Fallback {
 public:
  // `parts` must outlive this.
  explicit Fallback(const Parts& parts) : parts_(parts) {}

  // Before the first call of a turn: for ten minutes after a failure, what answered instead of the
  // chosen model is asked first.
  void begin(Turn& turn);
  // The turn's model failed for this reason: goes on with the next one in the list. False: there is
  // none left, or the user does not want it.
  bool next(Turn& turn, const std::string& why);
  // The turn is over, and with it the fallback.
  static void end(Turn& turn);

 private:
  struct Replacement {
    model::ModelRef model;
    std::int64_t until = 0;  // ms since 1970
  };

  bool may_ask(Turn& turn, const model::ModelRef& model, const std::string& why);
  static void switch_to(Turn& turn, const model::ModelRef& model);

  const Parts& parts_;
  std::map<std::string, Replacement> replacements_{};  // by the chosen model
  std::set<std::pair<Id, std::string>> agreed_{};      // session and provider
};

}  // namespace skein::agent
