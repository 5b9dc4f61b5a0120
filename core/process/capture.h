// What a command printed, in bounded memory: beginning and end, and more of it in an unnamed file.
#pragma once

#include "core/text/std.h"

#include "core/text/io.h"

namespace skein::process {

class Capture {
 public:
  // `shown`: bytes for the model, half of them from the beginning. `kept`: bytes of the whole.
  Capture(std::size_t shown, std::size_t kept);

  void add(std::string_view piece);
  std::size_t size() const { return size_; }

  // Valid UTF-8, cut between characters, saying how much is left out; a hex dump if it is not text.
  std::string text() const;
  bool is_cut() const { return size_ > head_.size() + tail_.size(); }
  bool is_binary() const;
  // Calls `use` with what was kept of the whole, without reading it into memory.
  void with_whole(const std::function<void(std::string_view)>& use) const;

 private:
  std::string head_, tail_;
  std::size_t half_, kept_limit_, size_ = 0, kept_ = 0;
  Fd file_;
};

// Gives pieces on in which no character is cut, as long as the bytes are UTF-8.
class WholeCharacters {
 public:
  void take(std::string_view piece, const std::function<void(std::string_view)>& give);
  std::string rest() { return std::exchange(held_, {}); }

 private:
  std::string held_;
};

}  // namespace skein::process
