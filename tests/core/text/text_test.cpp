#include "core/text/text.h"

#include <doctest/doctest.h>

#include "tests/support/environment.h"

using namespace skein;
using skein::test::Environment;

TEST_CASE("only an absolute path in the environment counts") {
  for (const char* value : {static_cast<const char*>(nullptr), "", ".", "relative", "~", "~/x"}) {
    const Environment home("HOME", value), temporary("TMPDIR", value);
    CHECK(env_path("HOME") == "");
    CHECK(user_home() == "");
    CHECK(with_user_home("~") == "");
    CHECK(with_user_home("~/x") == "");
    CHECK(temporary_folder() == "/tmp");
  }
  const Environment home("HOME", "/home/u"), temporary("TMPDIR", "/large");
  CHECK(user_home() == "/home/u");
  CHECK(temporary_folder() == "/large");
}

TEST_CASE("only a tilde at the beginning stands for the home") {
  const Environment home("HOME", "/home/u");
  CHECK(with_user_home("~") == "/home/u");
  CHECK(with_user_home("~/x/~") == "/home/u/x/~");
  for (const char* path : {"~other/x", "/~/x", "x/~", "x", "/x", ""})
    CHECK(with_user_home(path) == path);
}

TEST_CASE("a word is one of a list only as a whole") {
  for (const char* word : {"ls", "cat", "-n", "grep"}) CHECK(has_word("ls cat -n  grep ", word));
  for (const char* word : {"l", "s", "ca", "at", "n", "gre", "ls cat", "", " "})
    CHECK_FALSE(has_word("ls cat -n  grep ", word));
  CHECK(has_word("lsx xls ls", "ls"));
  CHECK_FALSE(has_word("", ""));
}
