// The lines that were sent while a turn runs: queued ones come after it, one that steers is given
// to the model with its next request. Until then each can be taken back, and is then never sent.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text/base.h"
#include "repl/edit/draft.h"

namespace skein::prompt {

// The way into a running turn; empty functions: there is none.
struct Steering {
  // Nothing: it could not be handed over, and has to wait.
  std::function<std::optional<Id>(const edit::Draft& line)> hand_over{};
  // True: the turn will never see it.
  std::function<bool(Id message)> take_back{};
};

class WaitingLines {
 public:
  explicit WaitingLines(Steering steering = {}) : steering_(std::move(steering)) {}

  void queue(edit::Draft line) { lines_.push_back({std::move(line), {}}); }
  void steer(edit::Draft line);
  // What was handed over has reached the model and is saved. Nothing: it was none of these.
  std::optional<edit::Draft> delivered(Id message);
  // The n-th of them, from 1; nothing: there is none, or it is on its way already.
  std::optional<edit::Draft> take_back(std::size_t number);
  std::optional<edit::Draft> take_back_last() { return take_back(lines_.size()); }
  // All of them, in order, when the turn is over: what has not been delivered never will be.
  std::vector<edit::Draft> take_all();

  bool empty() const { return lines_.empty(); }
  std::size_t size() const { return lines_.size(); }
  std::vector<edit::Draft> drafts() const;
  // One row each, the oldest first: "#1 queued · fix the tests too".
  std::vector<std::string> described() const;

 private:
  struct Line {
    edit::Draft draft;
    std::optional<Id> steers{};
  };

  Steering steering_;
  std::vector<Line> lines_{};
};

}  // namespace skein::prompt
