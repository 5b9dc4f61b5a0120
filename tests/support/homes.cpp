#include "tests/support/homes.h"

#include <algorithm>

#include "core/store/file_backend.h"

namespace skein::test {

SessionStore store_at(const std::string& home) {
  return SessionStore(std::make_unique<FileBackend>(real_files(home)));
}

NewEntry user_says(const std::string& text) { return {message_entry(user_message(text))}; }

NewEntry user_says(const std::string& text, Id id) {
  NewEntry out = user_says(text);
  out.entry.id = id;
  return out;
}

Id numbered_id(std::uint64_t number) { return Id{0xabcd'0000'0000'0000u + number}; }

Id session_called(SessionStore& store, const std::string& key) {
  return value_of(store.create_session({.key = key, .cwd = "/"})).session_id;
}

AppendResult append(SessionStore& store, Id session, const std::vector<NewEntry>& entries) {
  return value_of(store.append_session_entries(session, entries));
}

std::vector<Entry> entries_of(SessionStore& store, Id session) {
  std::vector<Entry> out = value_of(store.load_session_entries(session));
  std::erase_if(out, [](const Entry& entry) { return entry.type == type::session_header; });
  return out;
}

std::string damage_in(SessionStore& store, Id session) {
  const Damage damage = value_of(store.backend().examine(session));
  std::string out;
  if (!damage.altered.empty()) out += " altered lines";
  if (!damage.broken.empty()) out += " broken lines";
  if (!damage.gaps.empty()) out += " a gap";
  if (damage.header_damaged) out += " a damaged header";
  return out;
}

std::vector<std::string> listing(SessionStore& store) {
  std::vector<std::string> out;
  for (const SessionRecord& each : store.list())
    out.push_back(to_string(each.header.session) + " " + each.key + " " + each.state.title + " " +
                  std::to_string(each.state.entries) + " " + std::to_string(each.state.messages) +
                  " " + (each.state.head ? to_string(*each.state.head) : "-") + " " +
                  std::to_string(each.bytes));
  std::ranges::sort(out);
  return out;
}

}  // namespace skein::test
