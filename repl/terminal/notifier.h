// Calls a user who looks elsewhere: a long turn is over, or a question waits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/base.h"
#include "repl/terminal/abilities.h"

namespace skein::terminal {

// What there is to say, already harmless to a terminal.
struct Notice {
  std::string_view event;  // "done", "failed" or "question"
  std::string title;       // of the session
  std::string text;        // "done in 3 min 12 s", "asks: bash make"
};

class Notifier {
 public:
  enum class Way { automatic, bell, osc9, osc777, osc99, command, off };
  struct Parts {
    Way way = Way::off;
    Abilities abilities{};
    std::function<void(std::string_view bytes)> write{};  // to the terminal
    // Whether its window is in front; nullopt: nobody knows.
    std::function<std::optional<bool>()> in_front = [] { return std::optional<bool>{}; };
    std::function<void(const Notice&)> run{};  // the user's own program
    std::function<std::int64_t()> clock = now_ms;
  };
  Notifier() = default;
  explicit Notifier(Parts parts) : parts_(std::move(parts)) {}

  void turn_begins() { began_ = parts_.clock(); }
  void turn_ends(std::string_view title, bool well);
  // Where it is not known what is in front, a question that is no surprise calls nobody before the
  // turn has taken a while.
  enum class Question { common, rare };
  void question_waits(std::string_view title, std::string_view about, Question kind);

 private:
  bool is_long() const;
  void call(std::string_view event, std::string_view title, const std::string& text) const;

  Parts parts_{};
  std::int64_t began_ = 0;
};

std::optional<Notifier::Way> parse_way(std::string_view name);

// The bytes that ask a terminal to show the notice, or to ring.
std::string notice_request(NoticeForm form, const Notice& notice, bool in_tmux);

}  // namespace skein::terminal
