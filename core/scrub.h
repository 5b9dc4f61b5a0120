// Taking a text out of entries for good: what of an entry gives it away elsewhere, and how an entry
// reads without it. Pure; the store goes through the files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/entry.h"

namespace skein {

struct Scrubbing {
  Entry target{};
  std::string title{};  // the one a session gets that begins with it
  // What it says, each long enough to be no accident elsewhere: whole texts and their lines.
  std::vector<std::string> texts{};
  // What must stand nowhere at all: words of it that look like keys, and what the user named.
  std::vector<std::string> secrets{};
  std::vector<std::string> blobs{};  // it refers to
};
Scrubbing scrubbing_of(const Entry& target, std::span<const std::string> named);

// The entry as it shall read from now on, or nothing if it may stay as it is. The target itself,
// wherever it was copied to, keeps its id and its form. A title, a label, a summary loses the
// texts, every other entry the secrets.
std::optional<Entry> scrubbed(const Entry& entry, const Scrubbing& what);

// Whether bytes that are no entry (a draft, a fragment, a large output) give any of it away, as
// they are or as JSON writes them.
bool gives_away(std::string_view bytes, const Scrubbing& what);

}  // namespace skein
