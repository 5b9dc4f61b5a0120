// An entry as people read it, whole: what it is, and everything it says.
#pragma once

#include <string>
#include <string_view>

#include "core/model/entry.h"

namespace skein::model {

// "user", "assistant", "tool", "tool failed", "tool refused"; of what is no message "model",
// "title", "side question".
std::string kind_of(const Entry& entry);
// Whether it has a meaning for a reader; others are skein's bookkeeping. `body` begins with the
// payload.
bool is_for_readers(std::string_view type, std::string_view body);
// Whether it is the result of a call that failed.
bool is_failed_result(const Entry& entry);
// Text, calls, results and errors, a paragraph each, and what was thought if that is wanted; what
// failed says so. Empty if nothing is said. Not yet safe for a terminal.
enum class Thoughts { left_out, shown };
std::string words_of(const Entry& entry, Thoughts thoughts = Thoughts::left_out);

}  // namespace skein::model
