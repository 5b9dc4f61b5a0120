// A question that was asked beside the conversation, with its answer: an entry that is on no path
// and never sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/entry.h"

namespace skein::model {

struct Aside {
  std::string question{}, answer{};
  std::string provider{}, model{};  // who answered
  std::optional<Usage> usage{};
  std::int64_t duration_ms = 0;
};

Entry aside_entry(const Aside& aside);
std::optional<Aside> aside_of(const Entry& entry);  // none: it is something else

// The same of an entry that is not parsed: whether it is worth that, and what it says.
bool may_be_aside(std::string_view type, std::string_view payload);
std::optional<Aside> read_aside(std::string_view payload);

}  // namespace skein::model
