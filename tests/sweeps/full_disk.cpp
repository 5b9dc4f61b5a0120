// A disk that is full, read-only, not ours or in two parts: what does not fit is not written, by
// halves least of all, what was acknowledged stays, and when there is room again all goes on.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "core/store/log/log_writer.h"
#include "tests/support/homes.h"
#include "tests/support/long_run.h"
#include "tests/support/own_mounts.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

namespace fs = std::filesystem;
const std::string main_key = "main:cli:user";
const std::string line = R"({"type":"message","payload":{"role":"user","content":[]}})";

std::size_t tries = 0, complaints = 0;
void check(bool holds, const std::string& what) {
  ++tries;
  if (!holds && complaints++ < 20) std::fprintf(stderr, "not true: %s\n", what.c_str());
}

void limit_files_to(std::uint64_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

bool is_full(const auto& outcome) {
  return !outcome && outcome.error().kind == store::Failure::Kind::no_space;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

// The file may grow by `room` bytes, for every room that is too small.
void append_at_every_byte() {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  store::SessionStore store = store_at(home);
  const Id session = session_called(store, main_key);
  append(store, session, {user_says("before")});
  const fs::path file = fs::path(home) / store::log::transcript_path(session);
  const std::vector<store::NewEntry> batch{user_says("one"), user_says(std::string(700, 'x')),
                                           user_says("three")};
  const std::string before = read_file(file);
  for (std::uint64_t room = 1;; ++room) {
    limit_files_to(before.size() + room);
    const store::Result<store::AppendResult> outcome = store.append_session_entries(session, batch);
    limit_files_to(0);
    if (outcome) {
      check(read_file(file).size() == before.size() + room, "the batch fits where it fits exactly");
      check(entries_of(store, session).size() == 4, "all of the batch is there");
      return;
    }
    const std::string with = " with room for " + std::to_string(room) + " bytes";
    check(is_full(outcome), "an append says that the disk is full" + with);
    check(read_file(file) == before, "the transcript is as it was" + with);
    // Another process, at every byte: it sees what there was, and no damage.
    store::SessionStore other = store_at(home);
    check(entries_of(other, session).size() == 1 && damage_in(other, session).empty(),
          "another process reads what there was" + with);
  }
}

// The same for a session that is being made: it is there whole or not at all.
void create_at_every_byte() {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  session_called(*std::make_unique<store::SessionStore>(store_at(home)), "main:other:one");
  for (std::uint64_t room = 1;; ++room) {
    store::SessionStore store = store_at(home);
    limit_files_to(room);
    const store::Result<store::SessionHandle> made =
        store.create_session({.key = main_key, .title = "title"});
    limit_files_to(0);
    const std::size_t files = files_in(fs::path(home) / "transcripts");
    const std::string with = " with room for " + std::to_string(room) + " bytes";
    if (made) {
      check(files == 2, "the session is there" + with);
      store::SessionStore other = store_at(home);
      check(listing(other).size() == 2, "it is listed, even if the index did not fit" + with);
      return;
    }
    check(is_full(made), "making a session says that the disk is full" + with);
    check(files == 1, "nothing is left of a session that did not fit" + with);
  }
}

// The same for a fork that is written block by block while the next is being made.
void fork_many_blocks() {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  store::SessionStore store = store_at(home);
  const Id session = session_called(store, main_key);
  for (int i = 0; i < 60; ++i) append(store, session, {user_says(std::string(100'000, 'x'))});
  const Id head = store.open(session).state.head.value();
  constexpr std::uint64_t block = 1u << 20, page = 4096;
  for (const std::uint64_t room : {std::uint64_t{1}, block - 1, block, block + 1, block + page,
                                   2 * block - page, 2 * block, 2 * block + page + 1}) {
    limit_files_to(room);
    const store::Result<store::SessionHandle> made = store.branch_from_entry(session, head);
    limit_files_to(0);
    const std::string with = " with room for " + std::to_string(room) + " bytes";
    check(is_full(made), "a fork says that the disk is full" + with);
    check(files_in(fs::path(home) / "transcripts") == 1, "nothing is left of the fork" + with);
  }
  const Id made = value_of(store.branch_from_entry(session, head)).session_id;
  check(entries_of(store, made).size() >= 60 && damage_in(store, made).empty(),
        "with room the fork is made");
}

// A torn tail is set aside before anything else; if there is no room for that, nothing is touched.
void repair_at_every_byte() {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  Id session;
  {
    store::SessionStore store = store_at(home);
    session = session_called(store, main_key);
  }
  const fs::path file = fs::path(home) / store::log::transcript_path(session);
  const std::string torn = read_file(file) + std::string(400, 'y');
  for (std::uint64_t room = 1; room < 400; ++room) {
    write_file(file, torn);
    store::SessionStore store = store_at(home);
    const std::vector<store::NewEntry> one{user_says("one")};
    limit_files_to(room);
    const store::Result<store::AppendResult> outcome = store.append_session_entries(session, one);
    limit_files_to(0);
    check(is_full(outcome), "no room to set a torn tail aside: " + std::to_string(room));
    check(read_file(file) == torn, "the torn tail is still there: " + std::to_string(room));
    check(fs::is_empty(fs::path(home) / "quarantine"), "no half of it is in quarantine");
  }
  store::SessionStore store = store_at(home);
  append(store, session, {user_says("one")});
  check(entries_of(store, session).size() == 1, "with room it is repaired");
}

// A real file system of so many kilobytes, filled until nothing goes in any more.
void fill_a_disk(int kilobytes) {
  const TempDir dir;
  if (!mount_memory(dir.path().string(), "size=" + std::to_string(kilobytes) + "k"))
    throw Error("no tmpfs");
  const std::string home = (dir / "home").string(), filler = (dir / "filler").string();
  const std::string on = " on a disk of " + std::to_string(kilobytes) + "k";
  store::SessionStore store = store_at(home);
  const Id session = session_called(store, main_key);
  append(store, session, {user_says("first")});
  std::size_t acknowledged = 1;
  write_file(filler, std::string(8192, 'f'));
  for (bool full = false; !full;) {
    const std::vector<store::NewEntry> one{user_says(std::string(3000, 'x'))};
    const store::Result<store::AppendResult> outcome = store.append_session_entries(session, one);
    full = !outcome;
    if (full)
      check(is_full(outcome), "a full disk is called full" + on);
    else
      ++acknowledged;
  }
  const Finished refused = run(skein_command(
      home, {"append", main_key},
      "{\"type\":\"message\",\"payload\":{\"x\":\"" + std::string(9000, 'x') + "\"}}"));
  check(refused.status == 3,
        "skein append ends with 3" + on + ", not " + std::to_string(refused.status) + refused.err);
  const Finished made = run(skein_command(home, {"append", "main:new:one"}, line));
  check(made.status == 3 || made.status == 0, "making a session ends with 0 or 3" + on);
  check(run(skein_command(home, {"sessions", "show", main_key})).status == 0,
        "what is there can be read" + on);
  store::SessionStore other = store_at(home);
  check(entries_of(other, session).size() == acknowledged && damage_in(other, session).empty(),
        "what was acknowledged is there" + on);
  fs::remove(filler);
  append(other, session, {user_says("after")});
  check(entries_of(store, session).size() == acknowledged + 1, "with room it goes on" + on);
  unmount(dir.path().string());
}

// The command line on a home where something may not be done; `readable` says if it can be read.
void try_commands(const std::string& home, const std::string& where, bool readable, int appending) {
  const auto ends_with = [&](std::vector<std::string> words, int status) {
    std::string what;
    for (const std::string& word : words) what += word + " ";
    const Finished finished = run(skein_command(home, std::move(words), line));
    check(finished.status == status && (status == 0 || !finished.err.empty()),
          "`" + what + "` " + where + " ends with " + std::to_string(status) + ", not " +
              std::to_string(finished.status) + ": " + finished.err);
  };
  ends_with({"append", main_key}, appending);
  ends_with({"append", "main:new:one"}, 3);
  ends_with({"sessions", "delete", main_key}, 3);
  ends_with({"sessions", "list"}, readable ? 0 : 3);
  ends_with({"sessions", "show", main_key}, readable ? 0 : 3);
  ends_with({"doctor"}, readable ? 0 : 3);
}

void make_home(const std::string& home) {
  store::SessionStore store = store_at(home);
  append(store, session_called(store, main_key), {user_says("one")});
  store.list();
}

void read_only_disk() {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  make_home(home);
  if (!make_read_only(home)) throw Error("no read-only mount");
  try_commands(home, "on a read-only disk", true, 3);
  unmount(home);
}

void trash_on_another_disk() {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  make_home(home);
  if (!mount_memory(home + "/trash", "size=1m")) throw Error("no tmpfs");
  const auto ends_well = [&](std::vector<std::string> words) {
    const Finished finished = run(skein_command(home, words, line));
    check(finished.status == 0, words[1] + " with the trash on another disk: " + finished.err);
  };
  ends_well({"sessions", "delete", main_key});
  check(fs::is_empty(home + "/transcripts"), "the session is gone from transcripts");
  ends_well({"sessions", "restore", main_key});
  check(fs::is_empty(home + "/trash"), "the session is gone from the trash");
  ends_well({"append", main_key});
  store::SessionStore store = store_at(home);
  check(store.list().size() == 1 && entries_of(store, store.list()[0].header.session).size() == 2,
        "it came back whole");
  unmount(home + "/trash");
}

// Permissions do not bind root, so this is done as somebody else.
int without_permission() {
  const TempDir dir;
  fs::permissions(dir.path(), fs::perms::all);
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 77;
  int number = 0;
  const auto fresh = [&] {
    const std::string home = (dir / ("home" + std::to_string(number++))).string();
    make_home(home);
    return home;
  };
  std::string home = fresh();
  chmod(home.c_str(), 0500);
  for (const char* verb : {"list", "show"})
    check(run(skein_command(home, verb == std::string_view("list")
                                      ? std::vector<std::string>{"sessions", "list"}
                                      : std::vector<std::string>{"sessions", "show", main_key}))
                  .status == 0,
          std::string("`sessions ") + verb + "` reads a home that is 0500");
  check(run(skein_command(home, {"append", main_key}, line)).status == 0,
        "a home that is 0500 has sessions that can be written to");
  home = fresh();
  chmod((home + "/transcripts").c_str(), 0500);
  try_commands(home, "with transcripts/ 0500", true, 0);
  home = fresh();
  for (const auto& each : fs::directory_iterator(home + "/transcripts"))
    chmod(each.path().c_str(), 0400);
  check(run(skein_command(home, {"append", main_key}, line)).status == 3,
        "a file that is 0400 is not written to");
  check(run(skein_command(home, {"sessions", "show", main_key})).status == 0,
        "a file that is 0400 is read");
  home = fresh();
  for (const auto& each : fs::directory_iterator(home + "/transcripts"))
    chmod(each.path().c_str(), 0);
  const Finished blind = run(skein_command(home, {"append", main_key}, line));
  check(blind.status == 3, "a file that may not be read is not a reason to make another session: " +
                               std::to_string(blind.status) + blind.err);
  run(skein_command(home, {"sessions", "list"}));
  for (const auto& each : fs::directory_iterator(home + "/transcripts"))
    chmod(each.path().c_str(), 0600);
  check(run(skein_command(home, {"sessions", "show", main_key})).status == 0,
        "it is there again when it may be read again");
  home = fresh();
  chmod((home + "/transcripts").c_str(), 0);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"append", main_key},
                                                {"append", "main:new:one"},
                                                {"sessions", "delete", main_key},
                                                {"sessions", "show", main_key}})
    check(run(skein_command(home, words, line)).status == 3, words[0] + " with transcripts/ 0000");
  fs::remove(home + "/sessions.json");
  try_commands(home, "with transcripts/ 0000 and no index", false, 3);
  chmod((home + "/transcripts").c_str(), 0700);
  check(run(skein_command(home, {"sessions", "show", main_key})).status == 0,
        "it is there again when transcripts/ may be read again");
  home = fresh();
  chmod(home.c_str(), 0770);
  try_commands(home, "in a home that others may write to", false, 3);
  std::printf("full_disk: %zu checks without permission\n", tries);
  return complaints == 0 ? 0 : 1;
}

// The program itself, which nobody shields from the signal of a file that may not grow.
void command_at_every_size() {
  const TempDir dir;
  const std::string home = (dir / "home").string();
  make_home(home);
  const std::string before = read_file(dir / "home/sessions.json");
  for (std::uint64_t size = 1; size < before.size() + 200; size += 7) {
    Command command = skein_command(home, {"append", "main:new:" + std::to_string(size)}, line);
    command.before_exec = [size] { limit_files_to(size); };
    const int status = run(command).status;
    check(status == 0 || status == 3, "a limit of " + std::to_string(size) +
                                          " bytes ends append with " + std::to_string(status));
  }
}

void homes_that_are_none() {
  const TempDir dir;
  write_file(dir / "file", "x");
  fs::create_directory(dir / "real");
  fs::permissions(dir / "real", fs::perms::owner_all);
  fs::create_symlink(dir / "real", dir / "link");
  for (const char* home : {"file", "file/below", "link", "link/"})
    try_commands((dir / home).string(), std::string("with the home ") + home, false, 3);
  check(fs::is_empty(dir / "real"), "nothing was made behind a link");
  const Finished deep = run(skein_command((dir / "a/b/c").string(), {"append", main_key}, line));
  check(deep.status == 0, "a home that is missing with its parents is made");
  const Finished none = run({{skein_executable(), "--home", "", "sessions"}, "", 60'000, [] {
                               unsetenv("HOME");
                               unsetenv("XDG_DATA_HOME");
                             }});
  check(none.status == 2 || none.status == 3, "no home at all is an error");
}

}  // namespace

int main() {
  use_memory_disk();
  command_at_every_size();
  signal(SIGXFSZ, SIG_IGN);  // for the store in this process, as the program does for its own
  append_at_every_byte();
  create_at_every_byte();
  fork_many_blocks();
  repair_at_every_byte();
  homes_that_are_none();
  const std::size_t limits = tries;

  const int unable = status_of(start(without_permission));
  if (unable == 77)
    std::puts("full_disk: skipped what needs another user");
  else if (unable != 0)
    ++complaints;

  std::size_t disks = 0;
  if (enter_own_mounts()) {
    for (int kilobytes = 32; kilobytes <= 256; kilobytes += long_run() ? 4 : 8, ++disks)
      fill_a_disk(kilobytes);
    read_only_disk();
    trash_on_another_disk();
  } else {
    std::puts("full_disk: skipped what needs mounts of its own");
  }
  std::printf("full_disk: %zu checks at every byte, %zu with %zu real disks, %zu complaints\n",
              limits, tries - limits, disks, complaints);
  return complaints == 0 ? 0 : 1;
}
