#include "core/exchange/importers/whole_json.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/exchange/importers/json_members.h"
#include "core/text/base.h"
#include "core/text/sha256.h"

namespace skein::exchange::importers {

Json whole_json(const SourceFile& file) {
  constexpr std::uint64_t most = std::uint64_t{256} << 20;
  if (file.size() > most) throw Error("cannot read " + file.path() + ": it has more than 256 MiB");
  const std::string bytes = file.read(0, static_cast<std::size_t>(file.size()));
  std::string_view text = bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  auto json = read_json(text);
  return json ? std::move(*json) : Json(nullptr);
}

std::string name_without_ending(const SourceFile& file) {
  std::string name = file.name();
  for (const std::string_view ending : {".zst", ".jsonl", ".json"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

std::string id_or_hash(const Json& message, std::size_t place) {
  const std::string quoted = "\"" + string_at(message, "id") + "\"";
  const std::string_view id = raw_entry_id(quoted);
  if (!id.empty()) return std::string(id);
  return std::to_string(place) + "-" + sha256_hex(dump(message)).substr(0, 16);
}

}  // namespace skein::exchange::importers
