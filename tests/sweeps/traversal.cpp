// Names that try to leave the home, at every place of the command line that takes a name: a clear
// error, nothing outside, nothing inside but what skein itself names.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <set>

#include "core/text/base.h"
#include "tests/support/homes.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> hostile_names() {
  const std::vector<std::string> ways_up{"..",
                                         "../..",
                                         "../x",
                                         "../../etc/passwd",
                                         "/etc/passwd",
                                         "/",
                                         "//",
                                         "/../x",
                                         "./../x",
                                         "..\\x",
                                         "..\\..\\x",
                                         "C:\\x",
                                         "\\\\host\\x",
                                         "%2e%2e%2fx",
                                         "%2e%2e/x",
                                         "..%2fx",
                                         "..%c0%afx",
                                         "%252e%252e%252fx",
                                         "..;/x",
                                         "....//x",
                                         "..././x",
                                         ".. /x",
                                         "x/../../y",
                                         "transcripts/../../x",
                                         "trash/../../x",
                                         "~",
                                         "~/x",
                                         "~root/x",
                                         "$HOME/x",
                                         "`id`",
                                         "$(id)",
                                         "file:///x",
                                         ".",
                                         "./x",
                                         ".hidden",
                                         "-",
                                         "CON",
                                         "NUL",
                                         "aux.txt",
                                         "COM1",
                                         "x.",
                                         "x ",
                                         " x",
                                         "x\t",
                                         "x\ny",
                                         "x\r",
                                         "\x1b[2J",
                                         "x\x7f",
                                         "x\xc2\x9b",
                                         "\xff\xfe",
                                         "\xc0\xaf",
                                         "\xc0\xae\xc0\xae/",
                                         "\xe0\x80\xaf",
                                         "\xf0\x80\x80\xaf",
                                         "\xed\xa0\x80",
                                         "\xef\xbc\x8f",
                                         "\xef\xbc\x8e\xef\xbc\x8e\xef\xbc\x8fx",
                                         "\xe2\x88\x95x",
                                         "\xe2\x81\x84x",
                                         "\xe2\x80\xae"
                                         "x",
                                         "\xef\xbb\xbfx",
                                         "a*b",
                                         "?",
                                         "[a]",
                                         "a|b",
                                         "a;b",
                                         "a&b",
                                         "a>b",
                                         "a\"b",
                                         "a'b",
                                         "a,b",
                                         "sessions.json",
                                         "index.lock",
                                         "last",
                                         "0000000000000000.jsonl",
                                         std::string(4096, 'a'),
                                         std::string(4096, '/'),
                                         std::string(300, '.'),
                                         std::string(70'000, 'x')};
  std::vector<std::string> out = ways_up;
  // The same as one part of what else looks like a key.
  for (const std::string& way : ways_up)
    if (way.size() < 300) out.push_back("main:cli:" + way);
  return out;
}

struct Door {
  const char* name;
  std::vector<std::string> before, after;
};
const Door doors[] = {
    {"append KEY", {"append", "--"}, {}},
    {"show KEY", {"sessions", "show", "--"}, {}},
    {"delete KEY", {"sessions", "delete", "--"}, {}},
    {"restore KEY", {"sessions", "restore", "--"}, {}},
    {"rename KEY", {"sessions", "rename", "--"}, {"title"}},
    {"branch KEY", {"branch", "--"}, {}},
    {"branch --new-key", {"branch", "main:cli:user", "--new-key"}, {}},
    {"branch --from", {"branch", "main:cli:user", "--from"}, {}},
    {"append --expect-tail", {"append", "main:cli:user", "--expect-tail"}, {}},
    {"show --entry", {"sessions", "show", "main:cli:user", "--entry"}, {}},
    {"doctor KEY", {"doctor"}, {}},
};

std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& each : fs::recursive_directory_iterator(folder))
    out.insert(fs::relative(each.path(), folder).string());
  return out;
}

// A name skein gives to a file of its own.
bool is_ours(const std::string& path) {
  const fs::path file(path);
  const std::string folder = file.parent_path().string(), name = file.filename().string();
  if (folder.empty())
    return std::set<std::string>{"sessions.json", "index.lock", "transcripts", "quarantine",
                                 "trash"}
        .contains(name);
  return (folder == "transcripts" || folder == "trash") && name.size() >= 22 &&
         parse_id(name.substr(0, 16)) && name.ends_with(".jsonl");
}

std::string knock(const Door& door, const std::string& name, const fs::path& dir) {
  const std::string home = (dir / "home").string();
  Command command = skein_command(home, door.before, R"({"type":"message","payload":{}})");
  // An option's value that begins with a dash is another option: `=` keeps them together.
  if (command.words.back().starts_with("--") && command.words.back().size() > 2)
    command.words.back() += "=" + name;
  else
    command.words.push_back(name);
  command.words.insert(command.words.end(), door.after.begin(), door.after.end());
  command.before_exec = [&] {
    if (::chdir((dir / "here").c_str()) != 0) _exit(126);
  };
  const std::set<std::string> before = files_below(dir);
  const Finished finished = run(command);

  const std::string what = std::string(door.name) + " with '" + name.substr(0, 60) + "' ";
  // Some are keys after all: these may make a session, and then there is one of that name.
  const bool is_key = !store::key_problem(name);
  if (finished.timed_out) return what + "hangs";
  if (finished.status != 2 && finished.status != 4 && !(finished.status == 0 && is_key))
    return what + "ends with " + std::to_string(finished.status) + ": " + finished.err;
  if (finished.status != 0 && finished.err.empty()) return what + "says nothing";
  if (finished.err.find_first_of("\x1b\x7f") != std::string::npos)
    return what + "sends the terminal what the name holds";
  for (const std::string& file : files_below(dir))
    if (!before.contains(file) && !(is_key && file.starts_with("home/") && is_ours(file.substr(5))))
      return what + "makes " + file;
  return {};
}

}  // namespace

int main() {
  use_memory_disk();
  const std::vector<std::string> names = hostile_names();
  const std::size_t count = names.size() * std::size(doors);
  const TempDir dir;
  for (int worker = 0; worker < 2; ++worker) {
    const fs::path own = dir / std::to_string(worker);
    fs::create_directories(own / "here");
    store::SessionStore store = store_at((own / "home").string());
    const Id session = session_called(store, "main:cli:user");
    append(store, session, {user_says("hello")});
    store.list();
  }
  // Two workers take the even and the odd ones, each with a home of its own.
  const std::size_t complaints = complaints_of(2, 2, [&](std::size_t worker) {
    std::string all;
    for (std::size_t i = worker; i < count; i += 2) {
      const std::string complaint = knock(doors[i % std::size(doors)], names[i / std::size(doors)],
                                          dir / std::to_string(worker));
      if (!complaint.empty()) all += complaint + "\n";
    }
    return all;
  });
  std::printf("traversal: %zu names at %zu doors, %zu tries, %zu complaints\n", names.size(),
              std::size(doors), count, complaints);
  return complaints == 0 && count >= 1200 ? 0 : 1;
}
