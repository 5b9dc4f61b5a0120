#include "core/store/home/index/index.h"

#include "core/text/json.h"

namespace skein::store::home {

namespace {

constexpr std::string_view own_key = R"(":{"session_key":")", own_id = R"(","session_id":")";
constexpr std::size_t id_width = 16;

}  // namespace

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

void assign_keys(Index& index) {
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

// Neither keys, ids nor times hold anything that is escaped.
std::string_view IndexRow::session() const {
  const std::size_t at = 1 + key.size() + own_key.size() + key.size() + own_id.size();
  return at < text.size() ? text.substr(at, id_width) : std::string_view{};
}

// By what is written there in this order: ten thousand rows in a millisecond, so literals are
// compared at a known length, and nothing is looked for that has a known place.
std::optional<IndexRow::More> IndexRow::more() const {
  std::string_view at = text;
  const auto pass = [&](std::size_t count) { at.remove_prefix(std::min(count, at.size())); };
  const auto skip = [&]<std::size_t size>(const char(&literal)[size]) {
    if (at.size() < size - 1 || std::memcmp(at.data(), literal, size - 1) != 0) return false;
    at.remove_prefix(size - 1);
    return true;
  };
  const auto to = [&](char end) {
    const std::string_view out = at.substr(0, at.find(end));
    pass(out.size());
    return out;
  };
  More out;
  pass(1 + key.size() + own_key.size() + key.size());
  if (!skip(R"(","session_id":")")) return std::nullopt;
  pass(id_width);
  if (!skip(R"(","created_at":")")) return std::nullopt;
  to('"');
  if (!skip(R"(","updated_at":")")) return std::nullopt;
  out.used_at = to('"');
  if (!skip(R"(","message_count":)")) return std::nullopt;
  out.messages = to(',');
  if (!skip(R"(,"transcript_file":")")) return std::nullopt;
  out.archived = to('"').ends_with(".gz");
  pass(1);
  out.rest = at;
  return out;
}

std::optional<IndexName> IndexRow::name() const {
  constexpr std::string_view title = R"(,"title":)";
  const std::optional<More> known = more();
  const auto id = parse_id(session());
  if (!known || !id) return std::nullopt;
  IndexName out{key, known->used_at, {}, *id, 0, known->archived};
  std::from_chars(known->messages.data(), known->messages.data() + known->messages.size(),
                  out.messages);
  if (known->rest.starts_with(title)) {
    // Up to the next member: no title has this in it, since its quotes are escaped.
    const std::string_view spelled = known->rest.substr(title.size());
    const auto parsed = parse_json(spelled.substr(0, spelled.find(R"(,"cwd":)")));
    if (!parsed || !parsed->is_string()) return std::nullopt;
    out.title = parsed->get<std::string>();
  }
  return out;
}

SessionRecord record_of(const IndexEntry& entry) {
  const log::LogMemory& memory = entry.memory;
  return {entry.key, memory.header, memory.state, memory.stat.size, entry.archived, memory.damage};
}

}  // namespace skein::store::home
