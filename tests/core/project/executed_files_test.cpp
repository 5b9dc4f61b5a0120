#include "core/project/executed_files.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

using namespace skein;
namespace fs = std::filesystem;

TEST_CASE("what a command runs of the project is found, a link that leads out of it too") {
  const test::TempDir dir;
  const std::string top = fs::canonical(dir.path()).string(), ws = top + "/ws";
  fs::create_directories(ws + "/.git");
  fs::create_directories(ws + "/tools");
  test::write_file(ws + "/tools/check.sh", "x");
  test::write_file(ws + "/tools/lint.py", "x");
  test::write_file(top + "/outside.sh", "x");
  fs::create_symlink(top + "/outside.sh", ws + "/tools/link.sh");
  const project::Places places = project::places_of(ws, top + "/user", top + "/config");
  const auto files = [&](const std::string& command) {
    return project::executed_files(command, places);
  };
  using Files = std::vector<std::string>;
  CHECK(files("./tools/check.sh --all") == Files{ws + "/tools/check.sh"});
  CHECK(files("cd /tmp && python3 tools/lint.py x.py") == Files{ws + "/tools/lint.py"});
  CHECK(files("'" + ws + "/tools/check.sh' | cat") == Files{ws + "/tools/check.sh"});
  CHECK(files("./tools/link.sh") == Files{ws + "/tools/link.sh"});
  CHECK(files(top + "/outside.sh").empty());
  CHECK(files("../outside.sh").empty());
  CHECK(files("ls tools").empty());
}
