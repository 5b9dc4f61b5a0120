#include "core/store/result.h"

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

}  // namespace skein::store
