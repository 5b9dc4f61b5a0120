// A file of another program, which may be larger than memory, growing, damaged or hostile. It is
// only ever read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "core/text/fd.h"

namespace skein::exchange::importers {

class SourceFile {
 public:
  // The file, or the sentence that says why it cannot be read. A folder, a pipe or a device is
  // none. What was compressed with Zstandard is read as its content.
  static std::variant<SourceFile, std::string> open(const std::string& path);
  // What `bytes` would be under that name.
  static SourceFile of_bytes(std::string path, std::string bytes);

  const std::string& path() const { return path_; }
  std::string name() const;                     // without its folder
  std::string folder() const;                   // that it lies in
  std::uint64_t size() const { return size_; }  // when it was opened; what came later is not read

  // At most so many bytes from there; fewer at the end, or where reading failed.
  std::string read(std::uint64_t offset, std::size_t bytes) const;
  std::string head() const { return read(0, 64 * 1024); }

  struct Line {
    std::string_view text{};   // without its line end; valid until the next
    std::uint64_t offset = 0;  // where it begins
    bool ended = true;         // by a newline; the last line of a growing file may not be whole
  };
  // Every line that is not empty, without the byte order mark some begin with, until `each` returns
  // false. Only '\n' ends a line. One of more than longest_line bytes is passed over; how many
  // were.
  std::size_t lines(const std::function<bool(const Line&)>& each, std::uint64_t from = 0) const;
  static constexpr std::size_t longest_line = std::size_t{64} << 20;

 private:
  static std::variant<SourceFile, std::string> unpacked(SourceFile packed);

  std::string path_{};
  Fd file_{};
  std::string bytes_{};  // instead of the file
  std::uint64_t size_ = 0;
};

}  // namespace skein::exchange::importers
