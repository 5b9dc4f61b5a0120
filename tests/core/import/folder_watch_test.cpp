#include "core/import/folder_watch.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include "tests/support/temp_dir.h"

using namespace skein;
namespace fs = std::filesystem;

namespace {

struct Scene {
  test::TempDir dir{};
  std::string home = dir.path().string();
  std::string place = home + "/.other/sessions";
  importers::FolderWatch watch{};

  Scene() {
    fs::create_directories(place + "/2026");
    watch.add(place);
  }

  // Whether a line that is written now is noticed.
  bool notices(const std::string& file) {
    fs::create_directories(fs::path(file).parent_path());
    watch.changed();
    test::write_file(file, "x");
    return watch.changed().contains(file);
  }
};

}  // namespace

TEST_CASE("a folder that is deleted and made again is watched, with all that is below it") {
  Scene scene;
  REQUIRE(scene.notices(scene.place + "/2026/a.jsonl"));
  for (const std::string& gone : {scene.place + "/2026", scene.place, scene.home + "/.other"}) {
    CAPTURE(gone);
    fs::remove_all(gone);
    scene.watch.changed();
    CHECK(scene.notices(scene.place + "/2026/b.jsonl"));
    // Before anything was noticed of it.
    fs::remove_all(gone);
    fs::create_directories(scene.place + "/2026");
    test::write_file(scene.place + "/2026/c.jsonl", "x");
    CHECK_FALSE(scene.watch.changed().empty());
    CHECK(scene.notices(scene.place + "/2026/d.jsonl"));
  }
}

TEST_CASE("a folder that is renamed is no longer watched, and one that takes its place is") {
  Scene scene;
  for (const std::string& moved : {scene.place, scene.home + "/.other"}) {
    CAPTURE(moved);
    fs::rename(moved, moved + ".old");
    scene.watch.changed();
    CHECK(scene.notices(scene.place + "/2027/a.jsonl"));
    CHECK_FALSE(scene.watch.incomplete());
  }
}
