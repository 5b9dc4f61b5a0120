#include "core/workspace/real_place.h"

#include <doctest/doctest.h>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::workspace;
using namespace skein::test;
namespace fs = std::filesystem;

TEST_CASE("a place is where a path leads, whether it is there or not") {
  TempDir dir;
  const std::string top = fs::canonical(dir.path());
  fs::create_directories(dir.path() / "data/inner");
  fs::create_symlink(top + "/data", dir.path() / "absolute");
  fs::create_symlink("data/inner", dir.path() / "relative");
  fs::create_symlink("absolute/../absolute/new", dir.path() / "dangling");
  fs::create_symlink("loop", dir.path() / "loop");

  const std::pair<std::string, std::string> expected[] = {
      {"/data", "/data"},
      {"/data/", "/data"},
      {"//data/./inner", "/data/inner"},
      {"/absolute/inner", "/data/inner"},
      {"/absolute/skein/later", "/data/skein/later"},
      {"/relative/x", "/data/inner/x"},
      {"/relative/../x", "/data/x"},
      {"/dangling/x", "/data/new/x"},
      {"/none/../data", "/data"},
      {"/loop/x", "/loop/x"},
  };
  for (const auto& [path, place] : expected) {
    CAPTURE(path);
    CHECK(real_place(top + path) == top + place);
  }
  CHECK(real_place("/") == "/");
  CHECK(real_place("/..") == "/");
}

TEST_CASE("a relative path counts from the folder we are in") {
  TempDir dir;
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  const std::string here = real_place("."), below = real_place("../x/y"), name = real_place("home");
  fs::current_path(before);

  const fs::path top = fs::canonical(dir.path());
  CHECK(here == top.string());
  CHECK(name == (top / "home").string());
  CHECK(below == (top.parent_path() / "x/y").string());
}

TEST_CASE("a folder holds itself and what is in it, not what begins like it") {
  CHECK(is_below("/a/b", "/a"));
  CHECK(is_below("/a", "/a"));
  CHECK(is_below("/a", "/"));
  CHECK_FALSE(is_below("/ab", "/a"));
  CHECK_FALSE(is_below("/a", "/a/b"));
}
