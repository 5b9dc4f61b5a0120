// A file that an export is written to: only the user may read it, and it takes its place when it is
// whole. If it never is, what was there before stays, and nothing else is left.
#pragma once

#include "core/text/std.h"

#include "core/text/io.h"

namespace skein::exporters {

class OutputFile {
 public:
  // `replace`: in the place of a file that is there; else that is an error. What is no file (a
  // device, a pipe) is written to as it is. Throws Error.
  enum class Existing { replace, keep };
  OutputFile(std::string path, Existing existing);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void finish();  // synced, and in its place

  std::size_t bytes() const { return bytes_; }

 private:
  void flush();
  [[noreturn]] void fail(int error) const;

  std::string path_, temporary_;
  Existing existing_;
  Fd file_{};
  std::string buffer_{};
  std::size_t bytes_ = 0;
};

}  // namespace skein::exporters
