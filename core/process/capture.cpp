#include "core/process/capture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/text/base.h"
#include "core/text/encoding.h"
#include "core/text/text.h"
#include "core/text/utf8.h"

namespace skein::process {

namespace {

// On disk, not in memory (memfd): it may be large. Without a name no other process can open it.
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
  tail_ += piece;
  if (tail_.size() > half_) tail_.erase(0, tail_.size() - half_);
}

bool Capture::is_binary() const { return looks_binary(head_); }

std::string Capture::text() const {
  if (is_binary())
    return "[binary output, " + with_separators(size_) + " bytes; it begins with]\n" +
           hex_head(head_);
  if (!is_cut()) return valid_utf8(head_ + tail_);
  std::string_view first =
      utf8_prefix(head_, head_.size() - std::min<std::size_t>(3, head_.size()));
  std::string_view last = tail_;
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
  held_ += piece;
  std::size_t end = held_.size();
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, held_.size()); ++back)
    if (first_character(std::string_view(held_).substr(held_.size() - back)).cut)
      end = held_.size() - back;
  const std::string rest = held_.substr(end);
  held_.resize(end);
  if (end > 0) give(held_);
  held_ = rest;
}

}  // namespace skein::process
