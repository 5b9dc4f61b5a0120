#include "core/export/output_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/text/base.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using exporters::OutputFile;
using Existing = OutputFile::Existing;
namespace fs = std::filesystem;

namespace {

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file takes its place when it is whole, for the user alone") {
  const TempDir folder;
  const fs::path path = folder / "a.md";
  write_file(path, "old");
  {
    OutputFile file(path, Existing::replace);
    file.write("new ");
    file.write("text");
    CHECK(read_file(path) == "old");
    CHECK(file.bytes() == 8);
    file.finish();
  }
  CHECK(read_file(path) == "new text");
  CHECK((fs::status(path).permissions() & fs::perms::mask) ==
        (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("what is not finished leaves nothing behind") {
  const TempDir folder;
  { OutputFile(folder / "a.md", Existing::replace).write("half"); }
  CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("a file that nobody named is not replaced") {
  const TempDir folder;
  const fs::path path = folder / "a.md";
  write_file(path, "old");
  CHECK_THROWS_AS(OutputFile(path, Existing::keep), Error);
  CHECK_THROWS_AS(OutputFile(folder.path(), Existing::replace), Error);
  CHECK_THROWS_AS(OutputFile(folder / "no/such/folder", Existing::replace), Error);
  // Nor one that came meanwhile.
  OutputFile late(folder / "b.md", Existing::keep);
  write_file(folder / "b.md", "theirs");
  CHECK_THROWS_AS(late.finish(), Error);
  CHECK(read_file(folder / "b.md") == "theirs");
}

TEST_CASE("a link stays a link, a device a device") {
  const TempDir folder;
  write_file(folder / "real.md", "old");
  fs::create_symlink("real.md", folder / "link.md");
  OutputFile file(folder / "link.md", Existing::replace);
  file.write("new");
  file.finish();
  CHECK(fs::is_symlink(folder / "link.md"));
  CHECK(read_file(folder / "real.md") == "new");
  OutputFile null("/dev/null", Existing::replace);
  null.write("x");
  null.finish();
  CHECK(fs::is_character_file("/dev/null"));
}
