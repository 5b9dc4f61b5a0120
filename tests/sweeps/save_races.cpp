// A user saves a file while skein restores, edits, writes or removes it. The saved bytes are in the
// file afterwards, or where the report says. In one process as fast as it goes, and with the whole
// program: slowed down at every sync by strace, and with a large file.
//   save_races [races in one process] [races with the program]
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "core/text/checksum.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "core/workspace/staged_file.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using namespace skein::workspace;
namespace fs = std::filesystem;

namespace {

using Microseconds = std::chrono::microseconds;

std::size_t random_below(std::size_t count) {
  static thread_local std::mt19937_64 random{std::random_device()()};
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

void wait_for(std::size_t microseconds) {  // a sleep is too coarse for the short ones
  const auto end = std::chrono::steady_clock::now() + Microseconds(microseconds);
  if (microseconds > 2000) std::this_thread::sleep_for(Microseconds(microseconds));
  while (std::chrono::steady_clock::now() < end) {
  }
}

// How editors save: a new file renamed, the old one written again, and one that was open before.
void save(const fs::path& file, const std::string& text, std::size_t way) {
  if (way == 0) {
    write_file(file.string() + "~", text);
    fs::rename(file.string() + "~", file);
    return;
  }
  const Fd fd(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (way == 1 ? O_TRUNC : 0), 0644));
  if (way == 2) wait_for(random_below(300));
  if (!fd || !write_all(fd.get(), text) ||
      ftruncate(fd.get(), static_cast<off_t>(text.size())) != 0)
    throw std::runtime_error("the user cannot save");
}

// The file that holds the text, if `said` names it where it is not the one it was saved to.
bool is_found(const fs::path& folder, const fs::path& file, const std::string& text,
              const std::string& said) {
  if (read_file(file) == text) return true;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !entry.is_symlink() && read_file(entry.path()) == text &&
        said.find(entry.path().filename().string()) != std::string::npos)
      return true;
  return false;
}

std::string race_in_process(std::size_t number) {
  const TempDir dir;
  const fs::path work = dir / "work", file = work / "f";
  const Root root(work.parent_path().string(), {});
  for (int round = 0; round < 100; ++round) {
    const std::string before = "before1\n",
                      saved = "saved" + std::to_string(10 + round % 90) + "\n";
    fs::remove_all(work);
    write_file(file, before);
    const FilePlace place = root.locate("work/f");
    const Expected expected{root.open_file(place).info, holding(before)};
    const std::size_t way = random_below(3), delay = random_below(150);
    const bool removes = random_below(3) == 0;
    std::thread user([&] {
      wait_for(delay);
      save(file, saved, way);
    });
    Unfinished notes(root.path(), "");
    const std::string said = removes ? remove_expected(place, expected, notes)
                                     : root.replace(place, "after\n", expected);
    user.join();
    if (!is_found(work, file, saved, said))
      return "way " + std::to_string(way) + (removes ? ", removed" : ", replaced") + " in race " +
             std::to_string(number) + ": " + said;
  }
  return {};
}

// A home and a workspace in which a model has changed a file.
class Session {
 public:
  explicit Session(const std::string& text) {
    write_file(file, text);
    fs::create_directories(dir / "user");
  }

  std::vector<std::string> words(std::vector<std::string> more) const {
    more.insert(more.begin(), {"env", "-i", "PATH=" + std::string(std::getenv("PATH")),
                               "HOME=" + (dir / "user").string(), "LANG=C.UTF-8",
                               skein_executable(), "--home", home.string()});
    return more;
  }
  std::vector<std::string> turn(const std::string& call) const {
    write_file(dir / "script.json", "[[{\"call\": " + call + "}], \"done\"]");
    return words({"-p", "-y", "-q", "-m", "scripted/" + (dir / "script.json").string(), "-s",
                  "main:cli:race", "-C", work.string(), "go"});
  }
  std::string first_prompt() const {
    const Finished shown = test::run({words({"sessions", "show", "main:cli:race", "--json"})});
    const std::optional<Json> json = parse_json(shown.out);
    if (json)
      for (const Json& entry : at(*json, "path"))
        if (string_at(at(entry, "payload"), "role") == "user") return string_at(entry, "id");
    throw std::runtime_error("no prompt: " + shown.out + shown.err);
  }
  std::string transcript() const {
    std::string out;
    for (const auto& entry : fs::directory_iterator(home / "transcripts"))
      out += read_file(entry.path());
    return out;
  }

  TempDir dir{};
  fs::path work = dir / "work", home = dir / "home", file = work / "f";
};

std::string race_with_program(std::size_t number, bool strace) {
  const bool slowed = strace && number % 2 == 0;
  const std::string large = slowed ? "" : std::string(60'000'000, 'x');
  Session session("original\n" + large);
  std::vector<std::string> words;
  switch (number / 2 % 3) {
    case 0:
      test::run({session.turn(
          R"({"name": "bash", "input": {"command": "sed -i s/original/model/ f; echo x > new"}})")});
      words = session.words(
          {"rewind", "main:cli:race", "--to", session.first_prompt(), "--files", "--json"});
      break;
    case 1:
      words = session.turn(R"({"name": "write", "input": {"path": "f", "content": "model\n"}})");
      break;
    default:
      write_file(session.file, "original\n" + large.substr(0, large.size() / 6));
      words = session.turn(
          R"({"name": "edit", "input": {"path": "f", "old_text": "original", "new_text": "x"}})");
  }
  if (slowed)
    words.insert(words.begin(),
                 {"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync,syncfs",
                  "-e", "inject=fsync,fdatasync,syncfs:delay_enter=30000"});
  const std::string saved = "an hour of work " + std::to_string(number) + "\n";
  const std::size_t delay = random_below(700'000), way = random_below(3);
  std::thread user([&] {
    wait_for(delay);
    save(session.file, saved, way);
  });
  const Finished done = test::run({words, "", 120'000});
  user.join();
  if (done.status > 1) return "it ended with " + std::to_string(done.status) + ": " + done.err;
  const std::string said = done.out + done.err + session.transcript();
  if (is_found(session.dir.path(), session.file, saved, said)) return {};
  return "race " + std::to_string(number) + ", saved after " + std::to_string(delay) + " us, way " +
         std::to_string(way) + ": " + said.substr(0, 3000);
}

}  // namespace

int main(int argc, char** argv) {
  const auto given = [&](int at, std::size_t usual, std::size_t often) {
    return argc > at ? std::strtoul(argv[at], nullptr, 10) : long_run() ? often : usual;
  };
  const std::size_t quick = given(1, 100, 2'000), whole = given(2, 24, 1'000);
  use_memory_disk();
  const bool strace = test::run({{"strace", "-qq", "-o", "/dev/null", "true"}}).status == 0;
  if (!strace) std::puts("save_races: strace cannot be used here, so nothing is slowed down");
  const std::size_t wrong =
      complaints_of(quick, 2, race_in_process) + complaints_of(whole, 2, [&](std::size_t number) {
        return race_with_program(number, strace);
      });
  std::printf("save_races: %zu races in one process, %zu with the program, %zu wrong\n",
              quick * 100, whole, wrong);
  return wrong == 0 ? 0 : 1;
}
