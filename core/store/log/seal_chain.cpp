#include "core/store/log/seal_chain.h"

namespace skein::store::log {

std::optional<Line> SealChain::take(std::string_view text) {
  const std::optional<Line> line = read_line(text);
  if (!line || line->seal.place != place_ || (place_ > 0 && line->seal.count != count_) ||
      line->seal.previous != last_crc_ || line_crc(state_, text) != line->seal.crc)
    return std::nullopt;
  count_ = line->seal.count;
  state_ = state_after(line->seal.crc, text);
  if (++place_ == count_) {
    place_ = 0;
    last_crc_ = line->seal.crc;
    state_ = seed_;
  }
  return line;
}

}  // namespace skein::store::log
