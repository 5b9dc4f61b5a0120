#include "core/text/small_file.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

TEST_CASE("a file is read whole, or not at all and with the reason") {
  const TempDir folder;
  const std::string file = (folder / "notes").string();
  CHECK_FALSE(file_text(file));
  CHECK(errno == ENOENT);

  write_file(file, "");
  CHECK(file_text(file) == "");
  const std::string large(300'000, 'x');
  write_file(file, large);
  CHECK(file_text(file) == large);
  CHECK(file_text(file, large.size()) == large);
  CHECK_FALSE(file_text(file, large.size() - 1));
  CHECK(errno == EFBIG);
  CHECK(read_small_file(file, large.size() - 1).empty());

  CHECK_FALSE(file_text(folder.path().string()));
  CHECK(errno == EISDIR);
  CHECK(file_text("/proc/self/comm").value_or("").ends_with('\n'));
}
