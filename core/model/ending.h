// What to say about an answer that did not end normally, in the terminal and in print mode
// alike.
#pragma once

#include <string>
#include <string_view>

#include "core/model/message.h"

namespace skein::model {

struct Ending {
  std::string text{};      // empty: all is well, or the user wanted it so
  bool can_go_on = false;  // asking the model to go on makes sense
  bool operator==(const Ending&) const = default;
};

// `error` is what the provider said about it.
Ending ending_of(Stop stop, std::string_view error, bool empty);

// An answer that says nothing: no words, no image, no call.
bool is_empty_answer(const Message& reply);

}  // namespace skein::model
