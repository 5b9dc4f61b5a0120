// Somebody takes a file away, puts another in its place or makes it something that is no file,
// before skein starts or while it runs: it never hangs, never follows a link, never makes anew what
// it should find, and never writes to what is not its own.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/store/log/log_writer.h"
#include "tests/support/homes.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

namespace fs = std::filesystem;
const std::string main_key = "main:cli:user";
const std::string line = R"({"type":"message","payload":{"role":"user","content":[]}})";
const std::string secret = "somebody else's file\n";

enum class Left { session, stump, nothing, other };  // what there is of the session afterwards

struct Trick {
  const char* name;
  Left left;
  void (*play)(const fs::path& file, const fs::path& outside);
};
const Trick tricks[] = {
    {"unlinked", Left::nothing, [](const fs::path& file, const fs::path&) { fs::remove(file); }},
    {"replaced by a copy", Left::session,
     [](const fs::path& file, const fs::path&) {
       const std::string bytes = read_file(file);
       fs::remove(file);
       write_file(file, bytes);
     }},
    {"emptied", Left::other,
     [](const fs::path& file, const fs::path&) { fs::resize_file(file, 0); }},
    {"cut in its last line", Left::stump,
     [](const fs::path& file, const fs::path&) {
       fs::resize_file(file, std::max<std::uintmax_t>(fs::file_size(file), 9) - 9);
     }},
    {"filled with something else", Left::other,
     [](const fs::path& file, const fs::path&) { write_file(file, "hello\n"); }},
    {"a folder", Left::other,
     [](const fs::path& file, const fs::path&) {
       fs::remove(file);
       fs::create_directory(file);
     }},
    {"a pipe", Left::other,
     [](const fs::path& file, const fs::path&) {
       fs::remove(file);
       if (mkfifo(file.c_str(), 0600) != 0) throw Error("no pipe");
     }},
    {"a link to another's file", Left::other,
     [](const fs::path& file, const fs::path& outside) {
       fs::remove(file);
       fs::create_symlink(outside, file);
     }},
    {"a link to nothing", Left::other,
     [](const fs::path& file, const fs::path& outside) {
       fs::remove(file);
       fs::create_symlink(outside.string() + "-none", file);
     }},
    {"a link to itself", Left::other,
     [](const fs::path& file, const fs::path& outside) {
       fs::rename(file, outside.string() + "-moved");
       fs::create_symlink(outside.string() + "-moved", file);
     }},
    {"10 GB of nothing", Left::other,
     [](const fs::path& file, const fs::path&) {
       fs::remove(file);
       write_file(file, "");
       fs::resize_file(file, 10'000'000'000);
     }},
};

struct Home {
  TempDir dir{};
  std::string path = (dir / "home").string();
  fs::path outside = dir / "outside";
  store::SessionStore store;
  Id session{};
  Home() : store(store_at(path)) {
    write_file(outside, secret);
    session = session_called(store, main_key);
    append(store, session, {user_says("one"), user_says("two")});
    store.list();
  }
  fs::path transcript() const { return fs::path(path) / store::log::transcript_path(session); }
  std::string touched() const {
    if (read_file(outside) != secret) return "it wrote to another's file";
    if (fs::exists(outside.string() + "-none")) return "it made a file behind a link";
    return {};
  }
};

struct Verb {
  std::vector<std::string> words;
  bool writes;
};
const Verb verbs[] = {
    {{"append", main_key}, true},
    {{"sessions", "show", main_key}, false},
    {{"sessions", "list"}, false},
    {{"sessions", "rename", main_key, "title"}, true},
    {{"sessions", "delete", main_key}, true},
    {{"doctor"}, false},
    {{"branch", main_key, "--new-key", "main:branch:one"}, true},
};

std::string by_command(const Trick& trick, const Verb& verb) {
  Home home;
  trick.play(home.transcript(), home.outside);
  const bool there = fs::exists(fs::symlink_status(home.transcript()));
  const Finished finished = run(skein_command(home.path, verb.words, line));
  if (finished.timed_out) return "it hangs";
  if (finished.status > 5) return "it ends with " + std::to_string(finished.status) + finished.err;
  if (finished.status != 0 && finished.err.empty()) return "it does not say what is wrong";
  if (std::string trouble = home.touched(); !trouble.empty()) return trouble;
  if (!there && fs::exists(home.transcript())) return "it made the transcript anew";
  if (trick.left == Left::session && finished.status != 0) return "it fails: " + finished.err;
  return {};
}

// A store that had the session open when it happened.
std::string while_running(const Trick& trick, bool reads_first) {
  Home home;
  append(home.store, home.session, {user_says("three")});
  trick.play(home.transcript(), home.outside);
  if (reads_first) (void)home.store.load_session_entries(home.session);
  const std::vector<store::NewEntry> one{user_says("four")};
  const store::Result<store::AppendResult> outcome =
      home.store.append_session_entries(home.session, one);
  if (std::string trouble = home.touched(); !trouble.empty()) return trouble;
  const store::Failure* failed = outcome ? nullptr : &outcome.error();
  switch (trick.left) {
    case Left::session:
      if (failed) return "an append fails: " + failed->text;
      if (entries_of(home.store, home.session).size() != 4) return "the append went elsewhere";
      break;
    case Left::stump:
      if (failed) return "an append fails: " + failed->text;
      break;
    case Left::nothing:
      if (!failed || failed->kind != store::Failure::Kind::gone)
        return "it does not say it is gone";
      if (fs::exists(home.transcript())) return "it made the transcript anew";
      break;
    case Left::other:
      if (!failed) return "it wrote to something that is no transcript";
      break;
  }
  return {};
}

// The index and its lock are ours to make anew; the sessions must still be found.
std::string on_index(const Trick& trick, const std::string& file, bool running) {
  Home home;
  trick.play(fs::path(home.path) / file, home.outside);
  const Finished shown = run(skein_command(home.path, {"sessions", "show", main_key}));
  if (shown.timed_out) return "it hangs";
  if (shown.status != 0) return "the session is not found: " + shown.err;
  if (running) {
    append(home.store, home.session, {user_says("three")});
    home.store.presence().remember(home.session, "/w");
    if (home.store.list().size() != 1) return "the session is not listed";
  }
  const Finished appended = run(skein_command(home.path, {"append", main_key}, line));
  if (appended.status != 0) return "an append fails: " + appended.err;
  const Finished made = run(skein_command(home.path, {"append", "main:new:one"}, line));
  if (made.status != 0 && made.status != 3) return "making a session fails: " + made.err;
  return home.touched();
}

std::string home_moved() {
  Home home;
  const std::string moved = (home.dir / "moved").string();
  fs::rename(home.path, moved);
  append(home.store, home.session, {user_says("three")});
  home.store.list();
  if (fs::exists(home.path)) return "the old home was made anew";
  store::SessionStore there = store_at(moved);
  return entries_of(there, home.session).size() == 3 ? "" : "an append is missing";
}

// A folder of the home that is a link elsewhere.
std::string folder_is_link(const char* folder) {
  Home home;
  const fs::path elsewhere = home.dir / "elsewhere", own = fs::path(home.path) / folder;
  fs::rename(own, home.dir / "aside");
  fs::create_directory(elsewhere);
  fs::create_directory_symlink(elsewhere, own);
  for (const char* key : {"main:cli:user", "main:new:one"}) {
    const Finished finished = run(skein_command(home.path, {"append", key}, line));
    if (finished.status != 3) return "it goes on with " + std::to_string(finished.status);
  }
  run(skein_command(home.path, {"sessions", "delete", main_key}));
  return fs::is_empty(elsewhere) ? "" : "it wrote through a link";
}

// Index and memory of a process that made sessions while the index was away.
std::string index_removed_before_create() {
  Home home;
  fs::remove(fs::path(home.path) / "sessions.json");
  store::SessionStore other = store_at(home.path);
  session_called(other, "main:new:one");
  store::SessionStore third = store_at(home.path);
  return third.list().size() == 2 ? "" : "a session is not listed any more";
}

struct Try {
  std::string name;
  std::function<std::string()> run;
};

std::vector<Try> all_tries() {
  std::vector<Try> out;
  for (const Trick& trick : tricks) {
    const std::string name = trick.name;
    for (const Verb& verb : verbs) {
      // To read ten gigabytes of nothing takes seconds: one who reads and one who writes must do.
      if (name.starts_with("10 GB") && verb.words[0] != "append" && verb.words[0] != "doctor")
        continue;
      out.push_back({"transcript " + name + ", " +
                         verb.words[verb.words.size() > 1 && verb.words[0] == "sessions"],
                     [&] { return by_command(trick, verb); }});
    }
    for (const bool reads_first : {false, true})
      out.push_back({"transcript " + name + " while open",
                     [&trick, reads_first] { return while_running(trick, reads_first); }});
    for (const char* file : {"sessions.json", "index.lock"})
      for (const bool running : {false, true})
        out.push_back({std::string(file) + " " + name,
                       [&trick, file, running] { return on_index(trick, file, running); }});
  }
  out.push_back({"the home moved", home_moved});
  out.push_back({"the index removed before a session is made", index_removed_before_create});
  for (const char* folder : {"transcripts", "trash", "quarantine"})
    out.push_back({std::string(folder) + " a link", [folder] { return folder_is_link(folder); }});
  return out;
}

}  // namespace

int main() {
  use_memory_disk();
  const std::vector<Try> tries = all_tries();
  const std::size_t complaints = complaints_of(tries.size(), 2, [&](std::size_t i) -> std::string {
    std::string trouble;
    try {
      trouble = tries[i].run();
    } catch (const Error& error) {
      trouble = error.what();
    }
    return trouble.empty() ? "" : tries[i].name + ": " + trouble;
  });
  std::printf("under_our_feet: %zu tries, %zu complaints\n", tries.size(), complaints);
  return complaints == 0 ? 0 : 1;
}
