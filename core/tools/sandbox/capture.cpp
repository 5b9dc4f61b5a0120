#include "core/tools/sandbox/capture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <algorithm>

#include "core/text/base.h"
#include "core/text/text.h"
#include "core/tools/workspace/reading.h"

namespace skein::tools::sandbox {

namespace {

// On disk, not in memory (memfd): it may be large. A file without a name cannot be opened by
// others.
Fd nameless_file() {
  const std::string folder = temporary_folder();
  Fd file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  std::string name = folder + "/skein-XXXXXX";
  file = Fd(mkostemp(name.data(), O_CLOEXEC));
  if (file) unlink(name.c_str());
  return file;
}

bool is_inner(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// How many bytes the character that begins with `lead` has.
std::size_t length_from(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
}

}  // namespace

Capture::Capture(std::size_t shown, std::size_t kept) : half_(shown / 2), kept_limit_(kept) {}

void Capture::add(std::string_view piece) {
  size_ += piece.size();
  if (!file_ && kept_ == 0 && size_ > 2 * half_) {
    // Only now is there something the text will not show.
    file_ = nameless_file();
    for (const std::string* part : {&head_, &tail_})
      if (file_)
        kept_ += static_cast<std::size_t>(
            std::max<ssize_t>(0, write(file_.get(), part->data(), part->size())));
  }
  if (file_ && kept_ < kept_limit_) {
    const std::string_view wanted = piece.substr(0, kept_limit_ - kept_);
    const ssize_t written = write(file_.get(), wanted.data(), wanted.size());
    if (written > 0) kept_ += static_cast<std::size_t>(written);
    // A full disk: what is kept stays a true beginning of the whole.
    if (written != static_cast<ssize_t>(wanted.size())) kept_limit_ = kept_;
  }
  const std::size_t room = half_ - head_.size();
  head_ += piece.substr(0, room);
  piece.remove_prefix(std::min(room, piece.size()));
  if (piece.size() > half_) piece.remove_prefix(piece.size() - half_);
  const std::size_t growth = std::min(half_ - tail_.size(), piece.size());
  tail_ += piece.substr(0, growth);
  for (const char c : piece.substr(growth)) {
    tail_[oldest_] = c;
    oldest_ = (oldest_ + 1) % half_;
  }
}

bool Capture::is_binary() const { return workspace::looks_binary(head_); }

std::string Capture::text() const {
  if (is_binary())
    return "[binary output, " + with_separators(size_) + " bytes; it begins with]\n" +
           workspace::hex_head(head_);
  const std::string tail = tail_.substr(oldest_) + tail_.substr(0, oldest_);
  if (!is_cut()) return valid_utf8(head_ + tail);
  std::string_view first =
      utf8_prefix(head_, head_.size() - std::min<std::size_t>(3, head_.size()));
  std::string_view last = tail;
  for (int i = 0; i < 3 && !last.empty() && is_inner(last[0]); ++i) last.remove_prefix(1);
  // At line ends where there are any near.
  if (const std::size_t end = first.rfind('\n'); end != std::string_view::npos && end > half_ / 2)
    first = first.substr(0, end + 1);
  if (const std::size_t end = last.find('\n'); end < half_ / 2) last.remove_prefix(end + 1);
  return valid_utf8(first) + "\n[… " + with_separators(size_ - first.size() - last.size()) +
         " of " + with_separators(size_) + " bytes left out …]\n" + valid_utf8(last);
}

void Capture::with_whole(const std::function<void(std::string_view)>& use) const {
  if (kept_ == 0) return use(head_ + tail_);
  void* bytes = mmap(nullptr, kept_, PROT_READ, MAP_PRIVATE, file_.get(), 0);
  if (bytes == MAP_FAILED) return;
  use({static_cast<const char*>(bytes), kept_});
  munmap(bytes, kept_);
}

void WholeCharacters::take(std::string_view piece,
                           const std::function<void(std::string_view)>& give) {
  while (!held_.empty() && !piece.empty()) {
    const bool goes_on = is_inner(piece[0]) && held_.size() < length_from(held_[0]);
    if (goes_on) {
      held_ += piece[0];
      piece.remove_prefix(1);
    }
    if (goes_on && held_.size() < length_from(held_[0])) continue;
    give(std::exchange(held_, {}));
  }
  if (piece.empty()) return;
  std::size_t end = piece.size();
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, piece.size()); ++back) {
    const char c = piece[piece.size() - back];
    if (is_inner(c)) continue;
    if (length_from(c) > back) end = piece.size() - back;
    break;
  }
  held_ = piece.substr(end);
  if (end > 0) give(piece.substr(0, end));
}

}  // namespace skein::tools::sandbox
