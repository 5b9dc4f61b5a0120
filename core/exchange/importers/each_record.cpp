#include "core/exchange/importers/each_record.h"

#include <optional>
#include <utility>

#include "core/exchange/importers/json_members.h"

namespace skein::exchange::importers {

void each_record(const SourceFile& file, bool growing, Receiver& receiver,
                 const std::function<void(const Json& record, std::string_view text)>& each) {
  const std::size_t too_long = file.lines([&](const SourceFile::Line& line) {
    std::string_view rest = after_blanks(line.text);
    while (!rest.empty()) {
      const std::size_t length = bracketed_length(rest);
      const std::string_view text = rest.substr(0, length);
      const auto record = text.starts_with('{') ? read_json(text) : std::nullopt;
      if (!record && (line.ended || !growing)) receiver.lose("damaged lines");
      if (record) each(*record, text);
      if (length == 0) break;
      rest = after_blanks(rest.substr(length));
    }
    return true;
  });
  for (std::size_t lost = 0; lost < too_long; ++lost) receiver.lose("lines of more than 64 MiB");
}

Json first_record(const SourceFile& file) {
  const std::string head = file.head();
  std::string_view text = head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text = after_blanks(text);
  auto record =
      text.starts_with('{') ? read_json(text.substr(0, bracketed_length(text))) : std::nullopt;
  return record ? std::move(*record) : Json(nullptr);
}

}  // namespace skein::exchange::importers
