#include "core/store/home/index.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>

#include "core/text/crc32c.h"

namespace skein::store::home {

std::string index_checksum(std::string_view text) { return checksum_member(crc32c(0, text)); }

std::string checksum_member(std::uint32_t crc) {
  char out[32];
  std::snprintf(out, sizeof out, ",\"crc\":\"%08x\"}\n", crc);
  return out;
}

std::uint64_t digits_of(std::string_view timestamp) {
  constexpr int most = 17;
  std::uint64_t out = 0;
  int count = 0;
  for (const char c : timestamp)
    if (c >= '0' && c <= '9' && count < most)
      out = out * 10 + static_cast<unsigned>(c - '0'), ++count;
  for (; count < most; ++count) out *= 10;
  return out;
}

std::vector<const IndexEntry*> newest_first(const Index& index) {
  // By number: a time is a string elsewhere, and a sort looks at each two dozen times.
  struct Used {
    std::uint64_t time;
    Id session;
    const IndexEntry* entry;
  };
  std::vector<Used> order;
  order.reserve(index.sessions.size());
  for (const auto& [session, entry] : index.sessions) {
    const log::LogMemory& memory = entry.memory;
    order.push_back({digits_of(used_at(memory.header, memory.state)), session, &entry});
  }
  std::ranges::sort(order, [](const Used& a, const Used& b) {
    return std::tie(b.time, b.session) < std::tie(a.time, a.session);
  });
  std::vector<const IndexEntry*> out;
  out.reserve(order.size());
  for (const Used& each : order) out.push_back(each.entry);
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
