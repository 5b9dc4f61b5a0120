// Reads pieces of a file again, mostly in the order in which they stand there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/exchange/importers/source_file.h"

namespace skein::exchange::importers {

class RecordReader {
 public:
  explicit RecordReader(const SourceFile& file) : file_(file) {}  // which must outlive this

  // Valid until the next call; shorter if the file is.
  std::string_view read(std::uint64_t offset, std::size_t size) {
    constexpr std::size_t ahead = std::size_t{1} << 20;
    if (offset < begin_ || offset + size > begin_ + buffer_.size()) {
      buffer_ = file_.read(offset, std::max(size, ahead));
      begin_ = offset;
    }
    return std::string_view(buffer_).substr(static_cast<std::size_t>(offset - begin_), size);
  }

 private:
  const SourceFile& file_;
  std::string buffer_{};
  std::uint64_t begin_ = 0;
};

}  // namespace skein::exchange::importers
