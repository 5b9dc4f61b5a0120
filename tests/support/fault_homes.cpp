#include "tests/support/fault_homes.h"

#include "core/store/home/index/transcript.h"
#include "core/store/log/log_writer.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

namespace skein::test {

namespace fs = std::filesystem;

fs::path transcript(const std::string& home, Id session) {
  return fs::path(home) / store::log::transcript_path(session);
}

fs::path archive(const std::string& home, Id session) {
  return fs::path(home) / store::home::archive_path(session);
}

fs::path state_folder(const std::string& home) { return fs::path(home).parent_path() / "state"; }

namespace {

void fill(const std::string& home, Before& before) {
  store::SessionStore store = store_at(home);
  before.empty = false;
  before.trashed = session_called(store, trashed_key);
  append(store, before.trashed, {user_says("thrown away", numbered_id(1))});
  before.acknowledged[before.trashed] = entries_of(store, before.trashed);
  if (!store.life_cycle().erase(before.trashed)) throw Error("no trash");
  before.main = session_called(store, main_key);
  append(store, before.main, {user_says(leaked, numbered_id(2)), user_says("two", numbered_id(3))});
  store.presence().remember(before.main, "/");
  before.acknowledged[before.main] = entries_of(store, before.main);
}

Id archived_branch(store::SessionStore& store, Before& before) {
  const Id made = value_of(store.branch_from_entry(before.main, numbered_id(3))).session_id;
  before.acknowledged[made] = entries_of(store, made);
  if (!store.life_cycle().archive(made)) throw Error("no archive");
  return made;
}

// The text of entry 2 wherever one may stand, and what killed processes leave.
void spread(const std::string& home, Before& before) {
  fill(home, before);
  store::SessionStore store = store_at(home);
  archived_branch(store, before);
  if (!store.life_cycle().erase(archived_branch(store, before))) throw Error("no trash");
  const Id both = archived_branch(store, before);
  const std::string packed = read_file(archive(home, both));
  if (!store.life_cycle().unarchive(both)) throw Error("no transcript");
  write_file(archive(home, both), packed);
  const fs::path root = home, state = state_folder(home) / "skein";
  write_file(archive(home, both).string() + ".0123456789abcdef.tmp", packed);
  write_file(archive(home, before.main).string() + ".0123456789abcdef.tmp",
             packed.substr(0, packed.size() / 2));
  write_file(root / "quarantine" / "0000000000000001.12.frag", "\"text\":\"" + leaked + "\n");
  fs::create_directories(root / "drafts");
  write_file(root / "drafts" / to_string(both), leaked);
  fs::create_directories(state);
  write_file(state / "input_history", "ls\n" + leaked + "\n");
}

const FaultHome homes[] = {
    {"an empty home", [](const std::string&, Before&) {}},
    {"a session", fill},
    {"a torn tail",
     [](const std::string& home, Before& before) {
       fill(home, before);
       const fs::path file = transcript(home, before.main);
       write_file(file, read_file(file) + R"({"id":"abcd00000000)");
     }},
    {"no index",
     [](const std::string& home, Before& before) {
       fill(home, before);
       fs::remove(fs::path(home) / "sessions.json");
     }},
    {"an archived session",
     [](const std::string& home, Before& before) {
       fill(home, before);
       store::SessionStore store = store_at(home);
       if (!store.life_cycle().archive(before.main)) throw Error("no archive");
     }},
    {"a stale index",
     [](const std::string& home, Before& before) {
       fill(home, before);
       const fs::path index = fs::path(home) / "sessions.json";
       const std::string old = read_file(index);
       store::SessionStore store = store_at(home);
       append(store, before.main, {user_says("three", numbered_id(4))});
       before.acknowledged[before.main] = entries_of(store, before.main);
       const Id late = session_called(store, "main:late:one");
       append(store, late, {user_says("late", numbered_id(5))});
       before.acknowledged[late] = entries_of(store, late);
       write_file(index, old);
     }},
    {"copies in every place", spread, true},
};

}  // namespace

std::span<const FaultHome> fault_homes() { return homes; }

}  // namespace skein::test
