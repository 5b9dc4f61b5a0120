// What an address says about the way to it, without a library for URLs.
#pragma once

#include "core/text/std.h"

namespace skein::http {

// The host of scheme://user@host:port/…, in lower case and without brackets.
std::string host_of(std::string_view url);

// An address or a name that is this machine by definition; a name that merely resolves to it is
// not.
bool is_loopback(std::string_view host);

// http:// to another machine: anyone on the way can read along.
bool is_in_clear(std::string_view url);

}  // namespace skein::http
