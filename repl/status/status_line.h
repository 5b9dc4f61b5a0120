// The rows above the prompt while it waits: a few facts, or what a command of the user's prints
// about them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "repl/layout/style.h"
#include "repl/status/background_command.h"
#include "repl/status/facts.h"
#include "repl/status/safe_rows.h"

namespace skein::status {

class StatusLine {
 public:
  using Clock = std::chrono::steady_clock;
  struct Parts {
    std::function<Facts()> facts;
    std::vector<std::string> items{};  // see item_names(); none: no line
    layout::TerminalStyle look{};
    BackgroundCommand::Run run{};          // left out: the items are shown
    std::chrono::milliseconds refresh{0};  // run it so often; 0: when the facts have changed
    std::function<void(const std::string&)> tell{};  // what went wrong, once
    std::function<Clock::time_point()> now = [] { return Clock::now(); };
  };
  explicit StatusLine(Parts parts);

  // As they are now, for a terminal of this width. Waits for nothing.
  std::vector<Row> rows(std::size_t columns);

  // While the prompt waits: starts the command if it is due, and says how soon to look again.
  std::optional<std::chrono::milliseconds> look_again();
  // Whether the rows, or something to be told, have come since.
  bool changed();
  void tell();

 private:
  bool is_due() const;

  Parts parts_;
  std::optional<BackgroundCommand> command_{};
  Clock::time_point opened_, started_{};
  Facts facts_{};
  std::optional<Facts> told_{};  // what the command was last started with
  std::string printed_{};        // by it, when it last did well
  std::string trouble_{};        // to be told
  bool complained_ = false;
};

}  // namespace skein::status
