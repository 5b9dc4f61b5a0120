// Reads the body of a request as the strictest server would, before it is sent: what is refused
// here would have been refused there, every time, until the session is given up.
#pragma once

#include "core/handover/target.h"

namespace skein::grammar {

// One sentence for every rule broken, naming the place; empty for a body that is sent as it is.
// `betas`: the value of the header that names the vendor's new things, if there is one.
std::vector<std::string> violations(const handover::Target& target, std::string_view body,
                                    std::string_view betas = {});

}  // namespace skein::grammar
