// How much of an answer is taken. It must fit an entry of a transcript however its characters are
// escaped there; no model says nearly as much, a server that has lost its way does.
#pragma once

#include "core/model/event.h"

namespace skein::wire {

class AnswerLimit {
 public:
  static constexpr std::size_t most_bytes = std::size_t{10} << 20;

  // Takes the next piece of the answer. False: it did not fit, and only as much as does is left of
  // it; then nothing more is taken.
  bool take(model::Delta& delta);

  // Gives the next piece on as far as it fits. One that does not is followed by a failure, and then
  // nothing more is given on.
  void pass(model::Delta delta, const std::function<void(model::Delta)>& give);
  bool reached() const { return reached_; }

 private:
  bool take_text(std::string& text);
  bool add(std::size_t bytes);

  std::size_t used_ = 0;
  bool reached_ = false;
  std::map<std::string, std::size_t> inputs_{};  // of each call, as far as it came
};

// The bytes of `text` in a JSON string of a transcript, at most.
std::size_t escaped_size(std::string_view text);

}  // namespace skein::wire
