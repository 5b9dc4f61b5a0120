#include "core/store/files/files.h"

namespace skein::store::files {

std::string parent_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash);
}

Failure failure_from_errno(int error, const std::string& doing) {
  using Kind = Failure::Kind;
  const int code = error < 0 ? -error : error;
  const std::string why = doing + ": " + std::strerror(code);
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return {Kind::no_space, why + "; nothing was written, make room and try again"};
    case EROFS:
    case EACCES:
    case EPERM: return {Kind::read_only, why};
    case ENOENT: return {.kind = Kind::gone, .text = why, .missing = true};
    case ESTALE: return {Kind::gone, why};
    case EBUSY: return {Kind::busy, doing + ": another process has held its lock for 10 seconds"};
    case ELOOP:
    case EISDIR:
    case ENXIO: return {Kind::damaged, doing + ": it is not a regular file"};
    default: return {Kind::io, why};
  }
}

Result<void> result_from_errno(int returned, const std::string& doing) {
  return returned < 0 ? failure_from_errno(returned, doing) : Result<void>{};
}

}  // namespace skein::store::files
