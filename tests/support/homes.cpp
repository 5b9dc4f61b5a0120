#include "tests/support/homes.h"

#include <algorithm>

#include "core/store/home/file_backend.h"

namespace skein::test {

store::SessionStore store_at(const std::string& home) {
  return store::SessionStore(std::make_unique<store::home::FileBackend>(home_at(home)));
}

std::shared_ptr<store::home::Home> home_at(const std::string& home) {
  return std::make_shared<store::home::Home>(store::files::real_files(home));
}

store::NewEntry user_says(const std::string& text) {
  return {model::message_entry(model::user_message(text))};
}

store::NewEntry user_says(const std::string& text, Id id) {
  store::NewEntry out = user_says(text);
  out.entry.id = id;
  return out;
}

Id numbered_id(std::uint64_t number) { return Id{0xabcd'0000'0000'0000u + number}; }

Id session_called(store::SessionStore& store, const std::string& key) {
  return value_of(store.create_session({.key = key, .cwd = "/"})).session_id;
}

store::AppendResult append(store::SessionStore& store, Id session,
                           const std::vector<store::NewEntry>& entries) {
  return value_of(store.append_session_entries(session, entries));
}

std::vector<model::Entry> entries_of(store::SessionStore& store, Id session) {
  std::vector<model::Entry> out = value_of(store.load_session_entries(session));
  std::erase_if(
      out, [](const model::Entry& entry) { return entry.type == model::type::session_header; });
  return out;
}

std::string damage_in(store::SessionStore& store, Id session) {
  const store::Damage damage = value_of(store.transcripts().examine(session));
  std::string out;
  if (!damage.altered.empty()) out += " altered lines";
  if (!damage.broken.empty()) out += " broken lines";
  if (!damage.gaps.empty()) out += " a gap";
  if (damage.header_damaged) out += " a damaged header";
  return out;
}

std::vector<std::string> listing(store::SessionStore& store) {
  std::vector<std::string> out;
  for (const store::SessionRecord& each : store.list())
    out.push_back(to_string(each.header.session) + " " + each.key + " " + each.state.title + " " +
                  std::to_string(each.state.entries) + " " + std::to_string(each.state.messages) +
                  " " + (each.state.head ? to_string(*each.state.head) : "-") + " " +
                  std::to_string(each.bytes));
  std::ranges::sort(out);
  return out;
}

}  // namespace skein::test
