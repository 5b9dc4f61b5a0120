// The list that opens below the line while a name is typed. It knows neither keys nor a terminal:
// the line tells it what was typed, whoever draws the line draws its rows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/prompt/choice.h"

namespace skein::prompt {

class Popup {
 public:
  explicit Popup(Complete complete) : complete_(std::move(complete)) {}

  // Finds what fits; called when nothing more has been typed for now.
  void refresh(std::string_view before_cursor);
  // It was drawn as it is now: only then do Enter and the arrows mean it.
  void set_shown() { shown_ = open(); }
  // The line has changed otherwise than by typing: closed until something is typed.
  void rest();
  // The text has changed: what was shown no longer counts.
  void changed() { shown_ = resting_ = false; }
  void reopen() { changed(), dismissed_.clear(); }
  // Closed for this place in the line.
  void dismiss();
  void forget();  // another line begins

  bool open() const { return !fits_.empty(); }
  bool shown() const { return shown_; }
  bool move(int by);  // false: there is nothing in that direction
  void choose_first() { chosen_ = 0; }
  const Choice* chosen() const;  // what Enter takes; null: nothing
  const Choice* first() const { return open() ? &choices_[fits_.front()] : nullptr; }
  // What all of them begin with, if that is longer than what was typed.
  std::string common_start(std::string_view typed) const;
  std::size_t count() const { return fits_.size(); }
  std::size_t from() const { return place_.from; }

  struct Row {
    std::string text{}, aside{};  // safe
    bool chosen = false;
  };
  // At most `most` rows, each `columns` wide; the last one says how many there are.
  std::vector<Row> rows(std::size_t columns, std::size_t most) const;

 private:
  void search(std::string_view letters);
  void choose_eagerly(std::string_view letters);
  bool is_exact(std::string_view typed) const;

  Complete complete_;
  Completion place_{};
  std::vector<Choice> choices_{};     // of the place
  std::vector<std::string> texts_{};  // that are searched
  std::string letters_{};             // that `fits_` were found with
  std::vector<std::size_t> fits_{};   // the best first
  std::size_t chosen_ = none;         // among them
  bool shown_ = false, resting_ = false;
  std::string dismissed_{};  // the key of the place

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

}  // namespace skein::prompt
