// JSON for standard output: the same value, in a spelling that cannot drive a terminal.
#pragma once

#include <string_view>

#include "core/text/base.h"

namespace skein {

// `json` with everything outside of ASCII that a terminal may obey written as \uXXXX: DEL, C1,
// bidirectional controls, U+2028, U+2029 and U+FEFF. Malformed UTF-8 becomes U+FFFD. `json` must be
// JSON: then such characters stand in strings alone, and C0 is escaped or white space.
JsonText printable_json(std::string_view json);

}  // namespace skein
