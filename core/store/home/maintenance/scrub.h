// The one operation that rewrites: a text is taken out of every file of the home.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/store/home/home.h"
#include "core/store/home/maintenance/scrub_files.h"

namespace skein::store::home::maintenance {

// What a scrubbing shall take out besides what the entry says.
struct ScrubWish {
  std::vector<std::string> named{};  // texts that must stand nowhere either
  // Does the same to what lies outside the home, while it is still known what to look for.
  std::function<void(const model::Scrubbing&, Scrubbed&)> elsewhere{};
};

// Takes what an entry says, and every secret in it, out of every file there is: a session becomes a
// new file with the same entries. If it fails, the session it was asked for is as it was, the
// failure names what could not be reached, and it can be done again.
Result<Scrubbed> scrub(Home& home, Id session, Id entry, const ScrubWish& wish = {});

}  // namespace skein::store::home::maintenance
