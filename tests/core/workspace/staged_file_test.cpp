#include "core/workspace/staged_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/text/io.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::test;
using namespace skein::workspace;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view old_text = "what the model read\n", new_text = "what it writes\n";
constexpr std::string_view saved = "an hour of work ...\n";  // as long as the old text
constexpr std::string_view saved_again = "and the next minute\n";

struct Scene {
  TempDir dir{};
  fs::path work = dir / "work", notes = dir / "notes";
  std::optional<Root> root{};
  fs::path file = work / "f";

  Scene() {
    write_file(file, old_text);
    root.emplace(work.string(), std::vector<std::string>{}, best_resolver(), nullptr,
                 notes.string());
  }
  FilePlace place() const { return root->locate("f"); }
  Expected as_it_is(Holds also = {}) const {
    return {root->open_file(place()).info, [also](int fd) {
              if (also && !also(fd)) return false;
              return holding(old_text)(fd);
            }};
  }
  // The texts of all files in the workspace.
  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(work)) out.push_back(read_file(entry.path()));
    std::ranges::sort(out);
    return out;
  }
  bool has_temporary() const {
    return std::ranges::any_of(fs::directory_iterator(work), [](const fs::directory_entry& each) {
      return each.path().filename().string().starts_with(".skein-");
    });
  }
  bool has_notes() const { return fs::exists(notes) && !fs::is_empty(notes); }
};

void save_by_rename(const fs::path& file, std::string_view text) {
  write_file(file.string() + "~", text);
  fs::rename(file.string() + "~", file);
}
void save_in_place(const fs::path& file, std::string_view text) {
  const Fd fd(open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  REQUIRE(write_all(fd.get(), text));
}
// As a program does that sets the time of what it copies.
void save_in_secret(const fs::path& file, std::string_view text) {
  const fs::file_time_type time = fs::last_write_time(file);
  save_in_place(file, text);
  fs::last_write_time(file, time);
}
using Save = void (*)(const fs::path&, std::string_view);

}  // namespace

TEST_CASE("a save that comes while a file is replaced stays in its place, however it is made") {
  for (const Save save : {save_by_rename, save_in_place, save_in_secret}) {
    Scene scene;
    const FilePlace place = scene.place();
    {
      Unfinished notes(scene.root->path(), scene.notes);
      StagedFile file(place, scene.as_it_is(), notes);
      REQUIRE(file.fill({.bytes = new_text}, StagedFile::Sync::later) == "");
      save(scene.file, saved);
      CHECK(file.take_place(holding(new_text)) ==
            "f: another program has changed it; read it again");
    }
    CHECK(read_file(scene.file) == saved);
    CHECK(scene.texts().size() == 1);
    CHECK_FALSE(scene.has_notes());
  }
}

TEST_CASE("of two saves while a file is replaced the newer is in its place, the older is named") {
  for (const Save save : {save_by_rename, save_in_place}) {
    Scene scene;
    const FilePlace place = scene.place();
    std::string refusal;
    {
      Unfinished notes(scene.root->path(), scene.notes);
      // What came out is compared here: the new contents are in the place.
      const auto save_once_more = [&](int) {
        save(scene.file, saved_again);
        return false;
      };
      StagedFile file(place, scene.as_it_is(save_once_more), notes);
      REQUIRE(file.fill({.bytes = new_text}, StagedFile::Sync::later) == "");
      save_in_secret(scene.file, saved);
      refusal = file.take_place(holding(new_text));
    }
    CHECK(read_file(scene.file) == saved_again);
    const std::string_view opening =
        "f: another program has changed it; read it again; what was saved before is in ";
    REQUIRE(refusal.starts_with(opening));
    CHECK(read_file(scene.work / refusal.substr(opening.size())) == saved);
    CHECK(scene.texts().size() == 2);
    CHECK_FALSE(scene.has_temporary());
  }
}

TEST_CASE("a file whose replacement was removed at once is put back") {
  Scene scene;
  const FilePlace place = scene.place();
  const auto remove_it = [&](int) {
    fs::remove(scene.file);
    return false;
  };
  CHECK(scene.root->replace(place, new_text, scene.as_it_is(remove_it)) ==
        "f: another program has changed it; read it again");
  CHECK(read_file(scene.file) == old_text);
  CHECK(scene.texts().size() == 1);
}

TEST_CASE("a program that has a file open and writes later loses nothing") {
  for (const bool removed : {false, true}) {
    Scene scene;
    const FilePlace place = scene.place();
    const Expected expected = scene.as_it_is();
    const Fd writer(open(scene.file.c_str(), O_WRONLY | O_CLOEXEC));
    if (const Fd reader(open(scene.file.c_str(), O_RDONLY | O_CLOEXEC));
        fcntl(reader.get(), F_SETLEASE, F_RDLCK) == 0 || errno != EAGAIN) {
      MESSAGE("this file system has no leases");
      return;
    }
    Unfinished notes(scene.root->path(), scene.notes);
    CHECK((removed ? remove_expected(place, expected, notes)
                   : scene.root->replace(place, new_text, expected)) ==
          "f: another program has changed it; read it again");
    REQUIRE(write_all(writer.get(), saved));
    CHECK(read_file(scene.file) == saved);
    CHECK(scene.texts().size() == 1);
  }
}

TEST_CASE("a file that is made by another program first is not overwritten") {
  Scene scene;
  const FilePlace place = scene.root->locate("new");
  Unfinished notes(scene.root->path(), scene.notes);
  StagedFile file(place, std::nullopt, notes);
  REQUIRE(file.fill({.bytes = new_text}, StagedFile::Sync::later) == "");
  write_file(scene.work / "new", saved);
  CHECK(file.take_place(holding(new_text)) == "new: another program has created it; read it first");
  CHECK(read_file(scene.work / "new") == saved);
}

TEST_CASE(
    "a save that comes while a file is removed is put back, or named if there is a newer one") {
  for (const Save save : {save_by_rename, save_in_place, save_in_secret}) {
    Scene scene;
    const FilePlace place = scene.place();
    const Expected expected = scene.as_it_is();
    Unfinished notes(scene.root->path(), scene.notes);
    save(scene.file, saved);
    CHECK(remove_expected(place, expected, notes) ==
          "f: another program has changed it; read it again");
    CHECK(read_file(scene.file) == saved);
    CHECK(scene.texts().size() == 1);
  }
  Scene scene;
  const FilePlace place = scene.place();
  Unfinished notes(scene.root->path(), scene.notes);
  const auto save_again = [&](int) {
    write_file(scene.file, saved_again);
    return false;
  };
  const Expected expected = scene.as_it_is(save_again);
  const std::string refusal = remove_expected(place, expected, notes);
  CHECK(refusal.find("what was saved before is in f.saved-") != std::string::npos);
  CHECK(read_file(scene.file) == saved_again);
  CHECK(scene.texts() == std::vector<std::string>{std::string(saved_again), std::string(old_text)});
}

TEST_CASE("a link takes the place of a file, and a file that of a link") {
  Scene scene;
  const FilePlace place = scene.place();
  Unfinished notes(scene.root->path(), scene.notes);
  {
    StagedFile link(place, scene.as_it_is(), notes);
    REQUIRE(link.fill({.bytes = "some/where", .is_link = true}, StagedFile::Sync::later) == "");
    CHECK(link.take_place({}) == "");
  }
  CHECK(fs::read_symlink(scene.file) == "some/where");
  struct stat info {};
  REQUIRE(lstat(scene.file.c_str(), &info) == 0);
  StagedFile file(place, Expected{info}, notes);
  REQUIRE(file.fill({.bytes = new_text, .mode = 0640}, StagedFile::Sync::now) == "");
  CHECK(file.take_place(holding(new_text)) == "");
  CHECK(read_file(scene.file) == new_text);
  REQUIRE(lstat(scene.file.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0640);
  CHECK(scene.texts().size() == 1);
}

namespace {

// Ends a copy of this process where it compares what came out.
void kill_while_comparing(const Scene& scene, bool removes) {
  const pid_t child = start([&] {
    const FilePlace place = scene.place();
    Unfinished notes(scene.root->path(), scene.notes);
    const Expected expected = scene.as_it_is([](int) { return raise(SIGKILL) == 0; });
    if (removes)
      remove_expected(place, expected, notes);
    else
      scene.root->replace(place, new_text, expected);
    return 0;
  });
  REQUIRE(status_of(child) == 128 + SIGKILL);
}

}  // namespace

TEST_CASE("killed at any step, it leaves nothing once the notes were read") {
  SUBCASE("before the place is taken") {
    Scene scene;
    const pid_t child = start([&] {
      const FilePlace place = scene.place();
      Unfinished notes(scene.root->path(), scene.notes);
      StagedFile file(place, scene.as_it_is(), notes);
      file.fill({.bytes = new_text}, StagedFile::Sync::later);
      return raise(SIGKILL);
    });
    REQUIRE(status_of(child) == 128 + SIGKILL);
    REQUIRE(scene.has_temporary());
    CHECK(Unfinished::clear(scene.notes).empty());
    CHECK(scene.texts() == std::vector{std::string(old_text)});
    CHECK_FALSE(scene.has_notes());
  }
  SUBCASE("while what came out is compared") {
    for (const bool removes : {false, true}) {
      Scene scene;
      kill_while_comparing(scene, removes);
      REQUIRE(scene.has_temporary());
      CHECK(Unfinished::clear(scene.notes).empty());
      CHECK(scene.texts() ==
            (removes ? std::vector<std::string>{} : std::vector{std::string(new_text)}));
      CHECK_FALSE(scene.has_notes());
    }
  }
  SUBCASE("and what came out is not ours to delete") {
    for (const bool removes : {false, true}) {
      Scene scene;
      kill_while_comparing(scene, removes);
      for (const auto& entry : fs::directory_iterator(scene.work))
        if (entry.path().filename().string().starts_with(".skein-"))
          write_file(entry.path(), "saved by a program that had it open\n");
      const std::vector<std::string> told = Unfinished::clear(scene.notes);
      REQUIRE(told.size() == 1);
      CHECK(told[0].find(scene.file.string()) != std::string::npos);
      CHECK(std::ranges::count(scene.texts(), "saved by a program that had it open\n") == 1);
      CHECK(fs::exists(scene.file));
      CHECK_FALSE(scene.has_temporary());
      CHECK_FALSE(scene.has_notes());
    }
  }
}

TEST_CASE("what a living process has staged is left to it") {
  Scene scene;
  const FilePlace place = scene.place();
  Unfinished notes(scene.root->path(), scene.notes);
  StagedFile file(place, scene.as_it_is(), notes);
  REQUIRE(file.fill({.bytes = new_text}, StagedFile::Sync::later) == "");
  CHECK(Unfinished::clear(scene.notes).empty());
  CHECK(file.take_place(holding(new_text)) == "");
  CHECK(scene.texts() == std::vector{std::string(new_text)});
}
