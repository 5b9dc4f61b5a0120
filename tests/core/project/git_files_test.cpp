#include "core/project/project_root.h"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

void git_file(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("the branch that is checked out is read from git's own files") {
  const TempDir dir;
  const fs::path top = dir / "";
  git_file(top / "repo/.git/HEAD", "ref: refs/heads/fix/tabs\n");
  fs::create_directories(top / "repo/src/deep");
  CHECK(project::git_branch(top / "repo") == "fix/tabs");
  CHECK(project::git_branch(top / "repo/src/deep") == "fix/tabs");

  git_file(top / "repo/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
  CHECK(project::git_branch(top / "repo") == "01234567");

  git_file(top / "repo/.git/worktrees/other/HEAD", "ref: refs/heads/other\n");
  git_file(top / "other/.git", "gitdir: " + (top / "repo/.git/worktrees/other").string() + "\n");
  CHECK(project::git_branch(top / "other") == "other");
  git_file(top / "sub/.git", "gitdir: ../repo/.git/worktrees/other\n");
  CHECK(project::git_branch(top / "sub") == "other");

  fs::create_directories(top / "plain");
  git_file(top / "broken/.git", "gitdir: /nowhere\n");
  CHECK(project::git_branch(top / "plain").empty());
  CHECK(project::git_branch(top / "broken").empty());
}
