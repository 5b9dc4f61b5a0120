#include "core/exchange/importers/hermes.h"

#include <optional>
#include <string>
#include <vector>

#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_records.h"
#include "core/exchange/importers/message_array.h"
#include "core/exchange/importers/openai_messages.h"
#include "core/legacy/blocks.h"

namespace skein::exchange::importers {

namespace {

bool is_hermes(const SourceFile& file) {
  const std::string head = file.head();
  const auto has = [&](std::string_view member) { return head.find(member) != std::string::npos; };
  const std::size_t begin = head.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  return begin != std::string::npos && head[begin] == '{' && has("\"session_id\"") &&
         has("\"session_start\"") && has("\"messages\"");
}

void read_hermes(const SourceFile& file, const ReadOptions&, Receiver& receiver) {
  const Json whole = whole_json(file);
  if (!at(whole, "messages").is_array())
    throw Error("cannot read " + file.path() + ": it is damaged, or of more than 256 MiB");
  ForeignSession session{.id = string_at(whole, "session_id"),
                         .cwd = folder_named(string_at(whole, "cwd")),
                         .title = string_at(whole, "title"),
                         .created_at = legacy::time_of(at(whole, "session_start"))};
  if (session.id.empty()) session.id = file.name();
  if (!receiver.begin(session)) return;
  OpenaiMessages messages(string_at(whole, "model"), receiver);
  ArrayWriter writer(receiver, [&](const Json& message) { return messages.read(message); });
  for (const Json& message : at(whole, "messages")) writer.write(message);
  receiver.end(writer.leaf());
}

std::vector<std::string> hermes_places(const Environment& environment) {
  return {environment("HOME") + "/.hermes/sessions"};
}

}  // namespace

Format hermes() {
  return {.name = "hermes",
          .agent = "Hermes",
          .channel = "hermes",
          .recognizes = is_hermes,
          .read = read_hermes,
          .places = hermes_places};
}

}  // namespace skein::exchange::importers
