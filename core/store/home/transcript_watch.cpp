#include "core/store/home/transcript_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace skein::store::home {

TranscriptWatch::TranscriptWatch(files::Files& files, Id session)
    : session_(to_string(session)), events_(std::max(-1, files.watch("transcripts"))) {}

bool TranscriptWatch::take() {
  alignas(inotify_event) std::array<char, 16 * 1024> buffer{};
  bool ours = false;
  for (;;) {
    const ssize_t got = read(events_.get(), buffer.data(), buffer.size());
    if (got <= 0) return ours;
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
      // Where some were lost, it may have been one of ours.
      ours = ours || (event.mask & IN_Q_OVERFLOW) != 0 ||
             (event.len > 0 && std::string_view(name).starts_with(session_));
    }
  }
}

}  // namespace skein::store::home
