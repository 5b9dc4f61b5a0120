#include "core/sandbox/sandbox.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::sandbox;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> sorted(std::vector<std::string> all) {
  std::ranges::sort(all);
  return all;
}

}  // namespace

TEST_CASE("everything is granted but what stays out, and that is in no grant") {
  TempDir dir;
  const std::string top = fs::canonical(dir.path());
  for (const char* file : {"a/f", "b/c/f", "b/home/s", "b/d", "e", "home2/f"})
    write_file(dir.path() / file, "");
  fs::create_symlink("b", dir.path() / "link");

  CHECK(
      sorted(grants_around(top, {top + "/b/home", top + "/later"})) ==
      std::vector<std::string>{top + "/a", top + "/b/c", top + "/b/d", top + "/e", top + "/home2"});
  CHECK(folders_opened(top, {top + "/b/home", top + "/later"}) ==
        std::vector<std::string>{top, top + "/b"});
}

TEST_CASE("what nothing stays out of is granted whole, and what is out not at all") {
  TempDir dir;
  const std::string top = fs::canonical(dir.path());

  CHECK(grants_around(top, {top + "2", "/elsewhere"}) == std::vector<std::string>{top});
  CHECK(folders_opened(top, {top + "2", "/elsewhere"}).empty());
  CHECK(grants_around(top, {top}).empty());
  CHECK(grants_around(top + "/x", {top}).empty());
}
