// What checkpoints cost: the first and a further one in a clean repository of 50,000 files against
// `git status` there, one before a write, and restores of 100 and 5,000 files of 20 kB against
// `cp -a` and `sync`. One line per workload; medians.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/file_scene.h"
#include "tests/support/homes.h"

using namespace skein;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double timed(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

double median_of(int rounds, const std::function<void()>& work) {
  std::vector<double> all;
  for (int i = 0; i < rounds; ++i) all.push_back(timed(work));
  return median(all);
}

void large_repository(const fs::path& root, int files) {
  for (int i = 0; i < files; ++i)
    write_file(root / ("area" + std::to_string(i % 50)) / ("part" + std::to_string(i / 50 % 50)) /
                   ("file" + std::to_string(i)),
               "the text of file " + std::to_string(i) + "\n");
}

void measure_scans(const TempDir& dir, int files) {
  FileScene scene(FileScene::Folder::repository, store_at((dir / "home").string()));
  large_repository(scene.work(), files);
  scene.by_hand("git add -A && git commit -qm all && sleep 1 && git status");
  constexpr int rounds = 9;
  const double status =
      median_of(rounds, [&] { scene.by_hand("git --no-optional-locks status --porcelain=v2 -z"); });
  const auto before_command = [&] {
    scene.begin("go");
    scene.command("true");
  };
  const double shell = median_of(rounds, [&] { scene.by_hand("true"); });
  const double first = median_of(rounds, [&] {
    scene.reopen();
    before_command();
  });
  const double further = median_of(rounds, before_command);
  std::printf("git status, %d files         %8.2f ms\n", files, status - shell);
  std::printf("first checkpoint             %8.2f ms, %.2f x\n", first - shell,
              (first - shell) / (status - shell));
  std::printf("further checkpoint           %8.2f ms, %.2f x\n", further - shell,
              (further - shell) / (status - shell));
}

// What keeping a file costs a turn that runs no command; on a disk most of it is waiting for that.
void measure_write(const char* what, const std::string& home) {
  FileScene scene(FileScene::Folder::repository, store_at(home));
  const double write = median_of(51, [&] {
    scene.begin("write");
    scene.write("src/main.c", "other\n" + to_string(random_id()));
    scene.end();
  });
  std::printf("%-28s %8.2f ms\n", what, write);
}

void measure_writes(const TempDir& dir) {
  measure_write("before and after one write", (dir / "third").string());
  std::string memory = "/dev/shm/checkpoint_bench.XXXXXX";
  if (mkdtemp(memory.data()) == nullptr) return;
  measure_write("the same, home in memory", memory);
  fs::remove_all(memory);
}

// From the plan to the last entry in the session.
void measure_restore(const TempDir& dir, int files, int rounds) {
  FileScene scene(FileScene::Folder::repository,
                  store_at((dir / ("restored" + std::to_string(files))).string()));
  const std::string text(20'000, 'x');
  const auto fill = [&](char with) {
    for (int i = 0; i < files; ++i)
      write_file(scene / ("d" + std::to_string(i % 50)) / ("f" + std::to_string(i)),
                 text + with + std::to_string(i));
  };
  fill('a');
  scene.by_hand("git add -A; git commit -qm all");
  std::vector<double> copies, restores;
  for (int round = 0; round < rounds; ++round) {
    const Id prompt = scene.begin("go");
    scene.command("true");
    fill(static_cast<char>('b' + round));
    scene.end();
    copies.push_back(timed([&] { scene.by_hand("rm -rf ../copy; cp -a . ../copy; sync"); }));
    restores.push_back(timed([&] { scene.restore(prompt); }));
  }
  std::printf("cp -a of %5d files and sync %8.2f ms\n", files, median(copies));
  std::printf("restore of %5d files        %8.2f ms, %.2f x\n", files, median(restores),
              median(restores) / median(copies));
}

}  // namespace

int main(int argc, char** argv) {
  const TempDir dir;
  measure_scans(dir, argc > 1 ? std::atoi(argv[1]) : 50'000);
  measure_writes(dir);
  measure_restore(dir, 100, 9);
  measure_restore(dir, 5'000, 3);
}
