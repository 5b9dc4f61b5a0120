// The version in a model's name, so that rules can begin with one: "claude-opus-5-5-20260801" is
// 5.5 of the family "claude-opus". A name newer than any table then follows the newest rule.
#pragma once

#include "core/text/std.h"

#include <compare>

namespace skein::catalog {

struct Version {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Version&) const = default;
};

struct VersionedName {
  std::string_view vendor;  // "claude", "gpt", "gemini": the first word
  std::string_view family;  // the words before the number: "claude-opus", "gpt"; else the name
  std::optional<Version> version{};
  std::string_view rest{};  // what follows the number: "-mini", "o"
};

// Of the last part of the name, if it has slashes. A number of three digits or more is a date. The
// words may stand behind the number: claude-3-5-haiku is of the family "claude".
VersionedName split_version(std::string_view name);

// The number directly behind `prefix`, wherever that begins a word: of "zai-glm-5-3-flash" behind
// "glm-" 5.3.
std::optional<Version> version_behind(std::string_view name, std::string_view prefix);

// `floor` or later. A name without a number is the newest there is.
inline bool since(const std::optional<Version>& version, Version floor) {
  return !version || *version >= floor;
}

}  // namespace skein::catalog
