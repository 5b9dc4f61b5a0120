// What some terminals can do and others cannot, told by the environment. All that is known of
// particular terminals is in one table.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace skein::terminal {

// The ways to show a message beside the window, named after their control sequences.
enum class NoticeForm { bell, osc9, osc777, osc99 };

struct Abilities {
  NoticeForm notice = NoticeForm::bell;
  bool reports_focus = true;  // may be asked to; it need not answer
  bool in_tmux = false;       // which passes on only what is wrapped for it, and if it may
};

using Environment = std::function<std::string(const char* name)>;
Abilities abilities_of(const Environment& environment);

// `sequence` for the terminal around tmux.
std::string through_tmux(std::string_view sequence);

}  // namespace skein::terminal
