// System calls seen through to the end: what a signal interrupts, or the kernel does by halves,
// goes on. None of them throws.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/fd.h"

namespace skein {

// False, and errno says why. Safe in a signal handler.
bool write_all(int fd, std::string_view bytes);

// At most `limit` bytes, in pieces, until `piece` returns false. False if reading failed.
bool read_pieces(int fd, std::size_t limit, const std::function<bool(std::string_view)>& piece);
std::optional<std::string> read_all(int fd, std::size_t limit);  // nullopt: failed or longer

int wait_for_child(pid_t child);  // its wait status
// Readable once the process has ended; none if the kernel cannot make one.
Fd process_descriptor(pid_t process);

struct Pipe {
  Fd read, write;
};
Pipe make_pipe(int flags = 0);  // closed on exec; without ends if it cannot be made

}  // namespace skein
