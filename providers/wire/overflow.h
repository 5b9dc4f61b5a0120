// What a refusal says in numbers: how many tokens the model takes, and how many it was given.
#pragma once

#include <string>

#include "core/model/event.h"
#include "core/text/json.h"

namespace skein::wire {

// `message` is the error's sentence in lower case. What is not said, or makes no sense, is 0.
model::delta::Overflow overflow_in(const Json& error, const std::string& message);

}  // namespace skein::wire
