// Closes kinds of sockets to a process by a filter on its system calls. Landlock restricts TCP at
// best, and a network namespace does not contain every kind: AF_VSOCK reaches a virtual machine's
// host.
#pragma once

#include "core/tools/sandbox/process.h"
#include "core/tools/sandbox/sandbox.h"

namespace skein::tools::sandbox {

bool socket_filter_works();

// What a command in a sandbox gets if it may use the network or may not. Without the filter: all.
Sockets sockets_for(Sandbox sandbox, bool network);

// For this process and all it will start. io_uring, which makes sockets without a system call for
// each, is closed with them. Needs PR_SET_NO_NEW_PRIVS. Safe after a fork; false: errno.
bool restrict_sockets(Sockets sockets);

}  // namespace skein::tools::sandbox
