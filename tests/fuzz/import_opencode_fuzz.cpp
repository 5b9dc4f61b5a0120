// Any JSON in the rows of opencode, one a line, gives entries that keep the promises of a receiver.
// Lines are taken in turn as the data of a message, of a part of it, or of a message of version 2.
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/exchange/importers/opencode_second.h"
#include "core/exchange/importers/opencode_session.h"
#include "core/text/text.h"
#include "tests/fuzz/checked_import.h"

using namespace skein;
using namespace skein::exchange::importers;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::CheckedImport receiver;
  const ForeignSession session{.id = "s"};
  const Json revert{{"messageID", "m3"}, {"partID", "p4"}};
  receiver.begin(session);
  OpencodeEntries entries(session, revert, {.growing = size % 2 == 0}, receiver);
  OpencodeMessage message{.id = "m0"};
  std::size_t line = 0;
  for (const std::string_view each : split(text, '\n')) {
    const std::string number = std::to_string(++line);
    auto json = parse_json(each);
    if (!json) continue;
    if (const std::string type = string_at(*json, "type"); !at(*json, "role").is_null()) {
      if (message.data.is_object()) entries.add(message);
      message = {.id = "m" + number, .data = *std::move(json)};
    } else if (line % 2 == 0) {
      message.parts.push_back({"p" + number, *std::move(json)});
    } else if (auto first = as_first_opencode({.id = "n" + number, .data = *json}, type)) {
      entries.add(*std::move(first));
    }
  }
  entries.finish();
  return 0;
}
