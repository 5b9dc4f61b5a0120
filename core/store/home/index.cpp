#include "core/store/home/index.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>
#include <tuple>

#include "core/store/log/crc32c.h"

namespace skein::store::home {

std::string index_checksum(std::string_view text) {
  char out[32];
  std::snprintf(out, sizeof out, ",\"crc\":\"%08x\"}\n", log::crc32c(0, text));
  return out;
}

std::vector<const IndexEntry*> newest_first(const Index& index) {
  std::vector<const IndexEntry*> out;
  out.reserve(index.sessions.size());
  for (const auto& [session, entry] : index.sessions) out.push_back(&entry);
  std::ranges::sort(out, std::greater{}, [](const IndexEntry* entry) {
    const SessionHeader& header = entry->memory.header;
    return std::pair<std::string_view, Id>(used_at(header, entry->memory.state), header.session);
  });
  return out;
}

std::string effective_key(const log::LogMemory& memory) {
  if (!memory.state.key.empty()) return memory.state.key;
  if (!memory.header.key.empty()) return memory.header.key;
  return "main:recovered:" + to_string(memory.header.session);  // the header is lost
}

void settle_keys(Index& index) {
  // Who has its key already keeps it: a file that turns up later may say that it is older.
  struct Claim {
    bool newcomer;
    std::string own;
    IndexEntry* entry;
  };
  std::vector<Claim> claims;
  claims.reserve(index.sessions.size());
  for (auto& [session, entry] : index.sessions) {
    std::string own = effective_key(entry.memory);
    const bool newcomer = entry.key != own;
    claims.push_back({newcomer, std::move(own), &entry});
  }
  std::ranges::sort(claims, {}, [](const Claim& claim) {
    const SessionHeader& header = claim.entry->memory.header;
    return std::tie(claim.newcomer, header.created_at, header.session);
  });
  std::set<std::string> taken;
  std::map<std::string, int> last;  // the suffix a key was given last
  for (const Claim& claim : claims) {
    std::string key = claim.own;
    while (!taken.insert(key).second)
      key = claim.own + "." + std::to_string(++last.try_emplace(claim.own, 1).first->second);
    claim.entry->key = key;
  }
}

std::string free_key(const Index& index, Id session, const std::string& own) {
  const auto taken = [&](const std::string& key) {
    return std::ranges::any_of(index.sessions, [&](const auto& each) {
      return each.first != session &&
             (each.second.key == key || effective_key(each.second.memory) == key);
    });
  };
  std::string key = own;
  for (int number = 2; taken(key); ++number) key = own + "." + std::to_string(number);
  return key;
}

SessionRecord record_of(const IndexEntry& entry) {
  const log::LogMemory& memory = entry.memory;
  return {entry.key, memory.header, memory.state, memory.stat.size, entry.archived, memory.damage};
}

}  // namespace skein::store::home
