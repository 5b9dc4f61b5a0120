// What json_line makes of any JSON is JSON of the same meaning, on one line, harmless to a
// terminal.
#include <cstdlib>

#include "core/text/json.h"
#include "repl/layout/sanitize.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string shown = layout::sanitized(text);
  if (!is_valid_utf8(shown) || shown.find('\033') != std::string::npos) std::abort();
  const auto value = parse_json(text);
  if (!value) return 0;
  const JsonText line = json_line(text);
  if (line.find('\n') != std::string::npos || json_line(line) != line) std::abort();
  const auto again = parse_json(line);
  if (!again || *again != *value) std::abort();
  return 0;
}
