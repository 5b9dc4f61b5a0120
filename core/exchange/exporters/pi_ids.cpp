#include "core/exchange/exporters/pi_ids.h"

#include "core/text/json.h"
#include "core/text/sha256.h"

namespace skein::exchange::exporters {

namespace {

// The id that pi gave; of "<id>/results" that of the line it came from.
std::string given_by_pi(const model::Entry& entry) {
  if (entry.meta.find("\"import\"") == std::string::npos) return {};
  const std::optional<Json> meta = parse_json(entry.meta);
  if (!meta) return {};
  const Json& import = at(*meta, "import");
  if (string_at(import, "from") != "pi") return {};
  const std::string id = string_at(import, "id");
  return id.substr(0, id.find('/'));
}

}  // namespace

PiIds::PiIds(const ExportedSession& session) {
  session.each_entry([&](const model::Entry& entry) {
    std::string id = given_by_pi(entry);
    if (!id.empty() && taken_.insert(id).second)
      ids_[entry.id] = std::move(id);
    else
      ids_.try_emplace(entry.id);
  });
}

std::string PiIds::fresh(const std::string& wish) {
  std::string id = wish.substr(0, 8);
  for (std::size_t tries = 0; !taken_.insert(id).second; ++tries)
    id = sha256_hex(wish + std::to_string(tries)).substr(0, 8);
  return id;
}

std::string PiIds::of(Id entry) {
  std::string& id = ids_[entry];
  if (id.empty()) id = fresh(to_string(entry));
  return id;
}

std::string PiIds::another(Id entry, std::size_t number) {
  return fresh(sha256_hex(to_string(entry) + "/" + std::to_string(number)));
}

}  // namespace skein::exchange::exporters
