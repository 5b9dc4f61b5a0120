// Random turns of commands and writes, restored to random points: whatever a checkpoint covers is
// as it was, in bytes and modes, and everything else is named in the report. In a repository and in
// a plain folder, also after a restore that was killed: the next one finishes it, and the one after
// that, to another point, is right too.
//   restore_sweep [runs] [seed]
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>

#include "core/text/io.h"
#include "tests/support/file_scene.h"
#include "tests/support/homes.h"
#include "tests/support/long_run.h"
#include "tests/support/process.h"

using namespace skein;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class List>
  const auto& of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937_64 random_;
};

// Few, so that they meet: as a file, a link or a folder.
constexpr const char* names[] = {"a",      "b",   "c.txt",   "d", "new\nline",
                                 " blank", "-rf", "caf\xe9", "*"};

std::string quoted(const std::string& path) { return "'./" + path + "'"; }

std::string some_path(Dice& dice) {
  std::string path;
  for (std::size_t depth = dice.below(3); depth > 0; --depth)
    path += std::string(dice.of(names)) + "/";
  return path + dice.of(names);
}

// One thing done to some path; what cannot be done is not.
std::string some_operation(Dice& dice, bool repository) {
  const std::string path = some_path(dice), at = quoted(path), to = quoted(some_path(dice));
  const std::string word = std::to_string(dice.below(1000));
  constexpr const char* modes[] = {"600", "640", "644", "664", "755", "700", "444"};
  switch (dice.below(repository ? 11 : 10)) {
    case 0:
    case 1: return "mkdir -p \"$(dirname " + at + ")\" && echo " + word + " > " + at;
    case 2: return "echo " + word + " >> " + at;
    case 3: return "rm -f " + at;
    case 4: return "rm -rf " + at;
    case 5: return "mv " + at + " " + to;
    case 6: return "test -f " + at + " && chmod " + dice.of(modes) + " " + at;
    case 7: return "rm -rf " + at + " && ln -s " + word + " " + at;
    case 8: return "rm -rf " + at + " && mkdir " + at + " && echo " + word + " > " + at + "/x";
    case 9: return "rm -rf " + at + " && echo " + word + " > " + at;
    default: return "git add -A && git commit -qm more";
  }
}

std::string some_operations(Dice& dice, bool repository) {
  std::string out;
  for (std::size_t count = 1 + dice.below(6); count > 0; --count)
    out += "{ " + some_operation(dice, repository) + "; } 2>/dev/null\n";
  return out + "true";
}

// Folders are not covered: neither their modes nor whether an empty one was there.
Files covered(const FileScene& scene) {
  Files out = scene.files();
  std::erase_if(out, [](const auto& each) {
    return S_ISDIR(static_cast<mode_t>(std::strtoul(each.second.c_str(), nullptr, 10)));
  });
  return out;
}

class Run {
 public:
  Run(std::uint64_t seed, const fs::path& home)
      : dice_(seed),
        repository_(seed % 2 == 0),
        scene_(repository_ ? FileScene::Folder::repository : FileScene::Folder::plain,
               store_at(home.string())) {}

  // A complaint, or empty.
  std::string check() {
    scene_.by_hand(some_operations(dice_, repository_));
    for (std::size_t turns = 2 + dice_.below(4); turns > 0; --turns) take_turn();
    if (dice_.one_in(2)) kill_a_restore();
    for (int restores = 0; restores < 3; ++restores) {
      const std::size_t to = dice_.below(states_.size());
      if (std::string wrong = restore_to(to); !wrong.empty())
        return wrong + "\nrestored to before turn " + std::to_string(to) + " of:\n" + told_;
    }
    return {};
  }

 private:
  void take_turn() {
    states_.push_back(covered(scene_));
    prompts_.push_back(scene_.begin("go"));
    const std::string shell = some_operations(dice_, repository_);
    told_ += "turn " + std::to_string(prompts_.size() - 1);
    if (!dice_.one_in(4)) {
      told_ += ": " + shell;
      scene_.command(shell);
    }
    for (std::size_t writes = dice_.below(3); writes > 0; --writes) {
      const std::string path = some_path(dice_);
      const std::string refusal = scene_.write(path, "written " + std::to_string(dice_.below(9)));
      told_ += "\nwrite " + quoted(path) + " " + refusal;
    }
    told_ += "\n";
    scene_.end();
  }

  // Some time after its first step; it may be done by then.
  void kill_a_restore() {
    const std::size_t to = dice_.below(states_.size()), microseconds = dice_.below(4000);
    Pipe begun = make_pipe();
    const pid_t child = start([&] {
      const checkpoints::RestorePlan plan = scene_.plan(prompts_[to]);
      value_of(checkpoints::restore(scene_.workspace(), plan,
                                    {.session = scene_.session, .to = prompts_[to]},
                                    [&] { write_all(begun.write.get(), "x"); }));
      return 0;
    });
    begun.write.reset();
    pollfd wait{begun.read.get(), POLLIN, 0};
    while (poll(&wait, 1, -1) < 0) {
    }
    usleep(static_cast<useconds_t>(microseconds));
    kill(child, SIGKILL);
    told_ += "a restore to before turn " + std::to_string(to) + " was killed\n";
    status_of(child);
    scene_.reopen();
  }

  std::string restore_to(std::size_t turn) {
    const checkpoints::RestoreReport report = scene_.restore(prompts_[turn]);
    std::set<std::string> named;
    for (const auto* all : {&report.kept, &report.failed})
      for (const checkpoints::LeftAlone& each : *all) named.insert(each.path);
    const Files &expected = states_[turn], now = covered(scene_);
    std::string out;
    for (const auto& [path, what] : expected)
      if (const auto found = now.find(path);
          (found == now.end() || found->second != what) && !named.contains(path))
        out += "not as it was: " + quoted(path) + "\n";
    for (const auto& [path, what] : now) {
      if (path.find(".skein-") != std::string::npos) out += "a temporary file: " + path + "\n";
      if (!expected.contains(path) && !named.contains(path))
        out += "was not there: " + quoted(path) + "\n";
    }
    // Nothing here is beyond a checkpoint.
    for (const auto* all : {&report.kept, &report.failed})
      for (const checkpoints::LeftAlone& each : *all)
        out += "left alone: " + quoted(each.path) + " " + each.why + "\n";
    return out;
  }

  Dice dice_;
  bool repository_;
  FileScene scene_;
  std::vector<Files> states_{};
  std::vector<Id> prompts_{};
  std::string told_{};
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t runs = argc > 1     ? std::strtoul(argv[1], nullptr, 10)
                           : long_run() ? 2'000u
                                        : 100u;
  const std::uint64_t seed =
      argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device()() / 2 * 2;
  use_memory_disk();
  const std::size_t wrong = complaints_of(runs, 2, [&](std::size_t run) -> std::string {
    const TempDir home;
    const std::string complaint = Run(seed + run, home / "home").check();
    return complaint.empty() ? ""
                             : "restore_sweep 1 " + std::to_string(seed + run) + ": " + complaint;
  });
  std::printf("restore_sweep: %zu runs from seed %llu, %zu wrong\n", runs,
              static_cast<unsigned long long>(seed), wrong);
  return wrong == 0 ? 0 : 1;
}
