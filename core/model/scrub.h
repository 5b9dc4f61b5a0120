// Taking a text out of entries for good: what of an entry gives it away elsewhere, and how an entry
// reads without it. Pure; the store goes through the files.
#pragma once

#include "core/model/entry.h"

namespace skein::model {

// Pieces are kept in every form they are written in: as they are, as JSON, as the input history.
struct Scrubbing {
  Entry target{};
  std::string title{};  // the one a session gets that begins with it
  // What it says, each text whole and too long to be a coincidence: removed wherever it is found.
  std::vector<std::string> texts{};
  // Its single lines: removed from what retells it, and from what is no entry.
  std::vector<std::string> lines{};
  // Whole texts too short for that: recognized only where they stand alone.
  std::vector<std::string> alone{};
  // What must not be anywhere at all: words of it that look like keys, and what the user named.
  std::vector<std::string> secrets{};
  std::vector<std::string> blobs{};  // it refers to
};
Scrubbing scrubbing_of(const Entry& target, std::span<const std::string> named);
// Also what a copy of the target says that was found elsewhere: it may be an older one.
void widen(Scrubbing& what, const Entry& copy);

// The entry as it should read from now on, or nothing if it may stay as it is. The target itself,
// wherever it was copied to, keeps its id and its form. A title, a label, a summary loses the lines
// as well, every other entry the texts and the secrets.
std::optional<Entry> scrubbed(const Entry& entry, const Scrubbing& what);

// Whether an entry that was dealt with still says a line of it, or all of it where that is too
// short to be anything but chance.
bool repeats(const Entry& entry, const Scrubbing& what);

// Whether bytes hold the target, a text or a secret, as they are or as JSON writes them.
bool holds(std::string_view bytes, const Scrubbing& what);
// That, or a line of it, or nothing but a short text.
bool gives_away(std::string_view bytes, const Scrubbing& what);
// Quickly: false only if there is nothing to look at more closely.
bool may_give_away(std::string_view bytes, const Scrubbing& what);

// What is left of a file that is no transcript (a draft, a fragment, a history): JSON loses what
// its strings give away, other text the lines that do.
std::string without(std::string_view bytes, const Scrubbing& what);

inline constexpr const char* redacted_text = "[redacted]";

// `message` with everything that was said in it replaced; calls and results keep their ids, so that
// they still fit together.
Message masked(Message message);
// An entry as views, exports and requests may show it.
Entry masked(const Entry& entry, const std::set<Id>& redacted);

}  // namespace skein::model
