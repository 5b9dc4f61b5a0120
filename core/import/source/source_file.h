// A file of another program, which may be larger than memory, growing, damaged or hostile. It is
// only ever read.
#pragma once

#include "core/text/std.h"

#include "core/text/io.h"

namespace skein::importers {

class SourceFile {
 public:
  // The file, or the sentence that says why it cannot be read. A folder, a pipe or a device is
  // none. What was compressed with Zstandard is read as its content.
  static std::variant<SourceFile, std::string> open(const std::string& path);
  // What `bytes` would be under that name.
  static SourceFile of_bytes(std::string path, std::string bytes);

  const std::string& path() const { return path_; }
  std::string name() const;                     // without its folder
  std::string folder() const;                   // that contains it
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
  std::size_t lines(const std::function<bool(const Line&)>& each) const;
  static constexpr std::size_t longest_line = std::size_t{64} << 20;

 private:
  std::string path_{};
  Fd file_{};
  std::string bytes_{};  // instead of the file
  std::uint64_t size_ = 0;
};

// None if it does not exist, is behind a symbolic link, is not a regular file, or has more than
// 64 MiB. `name` has no folder in it.
std::optional<std::string> read_plain_file(const std::string& folder, const std::string& name);

// Regular files with that ending in a folder, and so deep below it, in order. No link is followed.
std::vector<std::string> files_in(const std::string& folder, std::string_view ending,
                                  int deepest = 0);

// nullopt: it is damaged, or becomes longer than `most_bytes`. Throws Error if there is no module
// that can tell.
std::optional<std::string> unzstd(std::string_view packed, std::size_t most_bytes);

// An open file without a name that has the content of `packed` unpacked; or why there is none, to
// be put behind the file's name.
std::variant<Fd, std::string> unzstd_file(int packed,
                                          std::uint64_t most_bytes = std::uint64_t{8} << 30);

}  // namespace skein::importers
