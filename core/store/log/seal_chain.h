// Sealed lines that come one after the other from somewhere else: whether each continues what came
// before.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/store/log/line_codec.h"

namespace skein::store::log {

class SealChain {
 public:
  // What follows the batch whose crc is `last_crc`; 0: nothing.
  SealChain(Id session, std::uint32_t last_crc)
      : seed_(seal_seed(session)), last_crc_(last_crc), state_(seed_) {}

  // The line, if it is the next one. It points into `text`, which has no newline.
  std::optional<Line> take(std::string_view text);
  bool at_border() const { return place_ == 0; }  // between two batches
  std::uint32_t last_crc() const { return last_crc_; }

 private:
  const std::uint32_t seed_;
  std::uint32_t last_crc_;
  std::uint32_t state_;
  unsigned place_ = 0, count_ = 0;  // in the batch that is coming
};

}  // namespace skein::store::log
