// Any JSON in the rows of opencode, one a line, gives entries that keep the promises of a receiver.
// Lines are taken in turn as the data of a message, of a part of it, or of a message of version 2.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/opencode/opencode.h"
#include "core/text/text.h"
#include "tests/fuzz/checked_import.h"

using namespace skein;
using namespace skein::importers;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::CheckedImport receiver;
  const ForeignSession session{.id = "s"};
  const Json revert{{"messageID", "m3"}, {"partID", "p4"}};
  receiver.begin(session);
  std::vector<OpencodeMessage> messages;
  OpencodeMessage message{.id = "m0"};
  std::size_t line = 0;
  for (const std::string_view each : split(text, '\n')) {
    const std::string number = std::to_string(++line);
    auto json = parse_json(each);
    if (!json) continue;
    if (const std::string type = string_at(*json, "type"); !at(*json, "role").is_null()) {
      if (message.data.is_object()) messages.push_back(message);
      message = {.id = "m" + number, .data = *std::move(json)};
    } else if (line % 2 == 0) {
      message.parts.push_back({"p" + number, *std::move(json)});
    } else if (auto first = as_first_opencode({.id = "n" + number, .data = *json}, type)) {
      messages.push_back(*std::move(first));
    }
  }
  give_opencode_session(session, revert, messages, {.growing = size % 2 == 0}, receiver);
  return 0;
}
