// A folder and a link to the outside change places as fast as the kernel allows while the file
// tools work through that name. Not one attempt may read, change or list anything outside. The same
// race is run against the usual way, which is to check realpath first and open the path afterwards:
// that one does escape, so the race is real.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "core/text/io.h"
#include "core/workspace/root.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::test;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::string_view inside_text = "inside", outside_text = "OUTSIDE";

// Swaps door and trap, last and last-trap, each in one step, for as long as it lives.
class Exchange {
 public:
  explicit Exchange(const fs::path& folder)
      : thread_([this, folder] {
          const Fd here(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
          for (; !done_; swaps_ += 2) {
            renameat2(here.get(), "door", here.get(), "trap", RENAME_EXCHANGE);
            renameat2(here.get(), "last", here.get(), "last-trap", RENAME_EXCHANGE);
          }
        }) {}
  ~Exchange() {
    done_ = true;
    thread_.join();
  }
  long swaps() const { return swaps_; }

 private:
  std::atomic<bool> done_{false};
  std::atomic<long> swaps_{0};
  std::thread thread_;
};

struct Arena {
  TempDir dir;
  fs::path root = dir / "root", outside = dir / "outside";
  Arena() {
    write_file(root / "door/file", inside_text);
    write_file(outside / "file", outside_text);
    write_file(outside / "only-outside", "");
    fs::create_symlink("../outside", root / "trap");
    write_file(root / "last", inside_text);
    fs::create_symlink("../outside/file", root / "last-trap");
  }
  bool untouched() const {
    return read_file(outside / "file") == outside_text &&
           std::distance(fs::directory_iterator(outside), fs::directory_iterator()) == 2;
  }
};

struct Tally {
  long attempts = 0, worked = 0, escapes = 0;
};

std::string text_behind(int fd) { return read_all(fd, 100).value_or(""); }

bool read_once(const workspace::Root& root, const char* path, Tally& tally) {
  const workspace::FilePlace place = root.locate(path);
  if (!place) return false;
  const workspace::OpenedFile file = root.open_file(place);
  if (!file) return false;
  tally.escapes += text_behind(file.fd.get()) == outside_text;
  return true;
}

bool write_once(const workspace::Root& root, const char* path, Tally&) {
  const workspace::FilePlace place = root.locate(path);
  if (!place) return false;
  std::optional<workspace::Expected> expected;
  if (const workspace::OpenedFile old = root.open_file(place)) expected = {old.info, {}};
  return root.replace(place, inside_text, expected).empty();
}

bool edit_once(const workspace::Root& root, const char* path, Tally& tally) {
  const workspace::FilePlace place = root.locate(path);
  if (!place) return false;
  const workspace::OpenedFile file = root.open_file(place);
  if (!file) return false;
  tally.escapes += text_behind(file.fd.get()) == outside_text;
  return root.replace(place, inside_text, workspace::Expected{file.info, {}}).empty();
}

bool list_once(const workspace::Root& root, const char*, Tally& tally) {
  const workspace::FilePlace place = root.locate("door");
  if (!place) return false;
  const workspace::OpenedFile folder = root.open_folder(place);
  if (!folder) return false;
  tally.escapes += faccessat(folder.fd.get(), "only-outside", F_OK, 0) == 0;
  return true;
}

// The whole tool now and then, because it is what a model reaches; the parts for the numbers.
bool whole_tools(const model::Tools& tools, Tally& tally) {
  const auto run = [&](const char* tool, Members members) {
    const std::string text = text_of(model::find_tool(tools, tool)->run(json_of(members), {}));
    tally.escapes += text.find(outside_text) != std::string::npos ||
                     text.find("only-outside") != std::string::npos;
  };
  run("read", {{"path", "door/file"}});
  run("list", {{"path", "door"}});
  run("grep", {{"pattern", "."}, {"path", "door"}});
  return true;
}

bool naive_read(const fs::path& root, Tally& tally) {
  const std::string path = root / "door/file";
  char real[PATH_MAX];
  if (realpath(path.c_str(), real) == nullptr ||
      !std::string_view(real).starts_with(root.string() + "/"))
    return false;
  const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  tally.escapes += text_behind(file.get()) == outside_text;
  return true;
}

template <class Attempt>
Tally race(long attempts, std::chrono::seconds longest, Attempt attempt) {
  Tally tally;
  const auto end = Clock::now() + longest;
  while (tally.attempts < attempts && (tally.attempts % 64 != 0 || Clock::now() < end)) {
    tally.worked += attempt(tally);
    ++tally.attempts;
  }
  return tally;
}

struct Contest {
  const char* name;
  bool (*once)(const workspace::Root&, const char*, Tally&);
  long attempts;
};

}  // namespace

int main() {
  const Contest contests[] = {{"read", read_once, 400'000},
                              {"list", list_once, 500'000},
                              {"write", write_once, 60'000},
                              {"edit", edit_once, 60'000}};
  constexpr std::chrono::seconds longest{60};
  // In memory: a disk's sync would be most of what is measured.
  if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 1);
  Tally all;
  bool intact = true;
  const auto start = Clock::now();
  for (const workspace::Resolver resolver :
       {workspace::Resolver::kernel, workspace::Resolver::walk}) {
    for (const Contest& contest : contests) {
      Arena arena;
      const workspace::Root root(arena.root, {}, resolver);
      Tally tally;
      long swaps = 0;
      {
        const Exchange exchange(arena.root);
        long turn = 0;
        tally = race(contest.attempts, longest, [&](Tally& own) {
          return contest.once(root, ++turn % 2 == 0 ? "door/file" : "last", own);
        });
        swaps = exchange.swaps();
      }
      intact &= arena.untouched();
      printf("%-5s %-6s %8ld attempts, %8ld worked, %8ld swaps, %ld escapes\n", contest.name,
             resolver == workspace::Resolver::kernel ? "kernel" : "walk", tally.attempts,
             tally.worked, swaps, tally.escapes);
      all.attempts += tally.attempts, all.worked += tally.worked, all.escapes += tally.escapes;
    }
  }
  Arena arena;
  const auto root = std::make_shared<const workspace::Root>(arena.root, std::vector<std::string>{});
  const model::Tools tools{tools::read_tool(root, {}), tools::list_tool(root, {}),
                           tools::grep_tool(root, {})};
  const Exchange exchange(arena.root);
  const Tally whole = race(20'000, longest, [&](Tally& own) { return whole_tools(tools, own); });
  const Tally naive =
      race(200'000, longest, [&](Tally& own) { return naive_read(arena.root, own); });
  all.attempts += 3 * whole.attempts, all.escapes += whole.escapes;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  printf("confine race: %ld attempts, %ld escapes in %.1f s; by realpath %ld of %ld escaped\n",
         all.attempts, all.escapes, seconds, naive.escapes, naive.attempts);
  return all.escapes == 0 && intact && naive.escapes > 0 && all.worked > 0 ? 0 : 1;
}
