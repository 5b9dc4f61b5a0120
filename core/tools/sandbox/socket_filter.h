// Closes the network to a process by a filter on its system calls, for sandboxes that have no
// network of their own: Landlock knows TCP at best.
#pragma once

namespace skein::tools::sandbox {

bool socket_filter_works();

// This process and all it will start get no sockets but those between processes of this machine
// (AF_UNIX); loopback is closed too. Needs PR_SET_NO_NEW_PRIVS. Safe after a fork; false: errno.
bool refuse_sockets();

}  // namespace skein::tools::sandbox
