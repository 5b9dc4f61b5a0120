// What a model insists on beyond its wire format: by family and version, never by a list of names,
// so that a model of next month follows the newest rule.
#pragma once

#include <string_view>

#include "core/handover/target.h"
#include "providers/wire/codecs.h"

namespace skein::catalog {

struct Traits {
  wire::ThinkingStyle style = wire::ThinkingStyle::effort;
  bool prefix_bound = false;       // signed thinking counts only behind what it was written behind
  std::string_view seal_family{};  // see handover::Target
  bool thinking_display = false;   // thinking is left out of answers unless asked for
  bool signed_calls = false;       // each step's first call needs a signature
  bool images_in_results = false;
  bool call_ids = false;          // calls and results carry ids, whoever made the calls
  bool reasoning_always = false;  // every reply has its reasoning, if empty, once there are tools
};
Traits traits_of(handover::WireFormat wire, std::string_view model);

}  // namespace skein::catalog
