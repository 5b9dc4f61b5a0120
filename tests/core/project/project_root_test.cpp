#include "core/project/project_root.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

using namespace skein;
namespace fs = std::filesystem;

namespace {

struct Tree {
  test::TempDir dir{};
  std::string home = fs::canonical(dir.path()).string();
  std::string make(const std::string& folder) const {
    fs::create_directories(home + "/" + folder);
    return home + "/" + folder;
  }
};

}  // namespace

TEST_CASE("a project begins at the nearest .git, a folder or a worktree's file") {
  const Tree tree;
  const std::string deep = tree.make("repo/a/b");
  tree.make("repo/.git");
  CHECK(project::project_root(deep, tree.home) == tree.home + "/repo");
  CHECK(project::project_folders(deep, tree.home) ==
        std::vector<std::string>{deep, tree.home + "/repo/a", tree.home + "/repo"});
  test::write_file(tree.home + "/repo/a/.git", "gitdir: elsewhere\n");
  CHECK(project::project_root(deep, tree.home) == tree.home + "/repo/a");
}

TEST_CASE("a project never begins above home, and without a .git it is the workspace") {
  const Tree tree;
  const std::string deep = tree.make("user/a/b");
  tree.make(".git");
  CHECK(project::project_root(deep, tree.home + "/user") == deep);
  CHECK(project::project_folders(deep, tree.home + "/user") == std::vector<std::string>{deep});
  CHECK(project::project_root(deep, tree.home) == tree.home);
}

TEST_CASE("a link to home is home") {
  const Tree tree;
  const std::string deep = tree.make("user/a");
  tree.make(".git");
  fs::create_directory_symlink(tree.home + "/user", tree.home + "/link");
  CHECK(project::project_root(deep, tree.home + "/link") == deep);
}

TEST_CASE("a .git that is a link does not count") {
  const Tree tree;
  const std::string deep = tree.make("repo/a");
  const std::string elsewhere = tree.make("elsewhere");
  fs::create_directory_symlink(elsewhere, tree.home + "/repo/.git");
  CHECK(project::project_root(deep, tree.home) == deep);
}

TEST_CASE("the root above a workspace is the nearest .git, else the nearest .skein or AGENTS.md") {
  const Tree tree;
  const std::string top = tree.make("repo"), middle = tree.make("repo/a"),
                    deep = tree.make("repo/a/b");
  const auto above = [&](const std::string& workspace) {
    return project::root_above(workspace, tree.home).value_or("none");
  };
  CHECK(above(deep) == "none");
  test::write_file(middle + "/AGENTS.md", "Be brief.\n");
  CHECK(above(deep) == middle);
  CHECK(above(middle) == "none");
  tree.make("repo/.git");
  CHECK(above(deep) == top);
  CHECK(above(middle) == top);
  CHECK(above(top) == "none");
  tree.make("repo/a/b/.git");
  CHECK(above(deep) == "none");
}

TEST_CASE("the home folder is not a root above a workspace, whatever it has") {
  const Tree tree;
  const std::string deep = tree.make("a/b");
  for (const char* name : {".skein", ".git"}) {
    tree.make(name);
    CHECK_FALSE(project::root_above(deep, tree.home).has_value());
  }
}
