#include "core/store/result.h"

#include <cerrno>
#include <cstring>

namespace skein::store {

ExitStatus exit_status_of(const Failure& failure) {
  switch (failure.kind) {
    case Failure::Kind::conflict: return ExitStatus::conflict;
    case Failure::Kind::gone: return ExitStatus::no_session;
    case Failure::Kind::id_conflict:
    case Failure::Kind::refused: return ExitStatus::usage;
    default: return ExitStatus::storage;
  }
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
    case ENOENT:
    case ESTALE: return {Kind::gone, why};
    case EBUSY: return {Kind::busy, doing + ": another process has held its lock for 10 seconds"};
    case ELOOP:
    case EISDIR:
    case ENXIO: return {Kind::damaged, doing + ": something else stands in its place"};
    default: return {Kind::io, why};
  }
}

Result<void> result_from_errno(int returned, const std::string& doing) {
  if (returned < 0) return failure_from_errno(returned, doing);
  return {};
}

}  // namespace skein::store
