#include "core/text/io.h"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

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

TEST_CASE("reading neither waits for a pipe, nor opens a device, nor reads more than its limit") {
  const TempDir folder;
  const auto planted = [&](const char* name) { return (folder / name).string(); };
  REQUIRE(mkfifo(planted("pipe").c_str(), 0600) == 0);
  const std::pair<const char*, const char*> links[] = {{"/dev/zero", "zero"},
                                                       {"/dev/tty", "terminal"},
                                                       {"pipe", "to_pipe"},
                                                       {"nowhere", "to_nothing"},
                                                       {"itself", "itself"}};
  for (const auto& [target, name] : links) std::filesystem::create_symlink(target, planted(name));
  for (const char* name :
       {"pipe", "zero", "terminal", "to_pipe", "to_nothing", "itself", "not_there", "."}) {
    CAPTURE(name);
    CHECK_FALSE(open_regular(planted(name)));
    CHECK_FALSE(open_regular(planted(name), Links::refused));
    CHECK_FALSE(file_text(planted(name)));
    CHECK(errno != 0);
    CHECK(file_beginning(planted(name)).empty());
  }
  write_file(planted("sparse"), "head");
  REQUIRE(truncate(planted("sparse").c_str(), off_t{1} << 40) == 0);
  CHECK_FALSE(file_text(planted("sparse")));
  CHECK(errno == EFBIG);
  CHECK(file_beginning(planted("sparse"), 4) == "head");
}

TEST_CASE("a link to a file is followed only where that is wanted") {
  const TempDir folder;
  write_file(folder / "file", "text");
  const std::string link = (folder / "link").string();
  std::filesystem::create_symlink("file", link);
  CHECK(file_text(link) == "text");
  CHECK_FALSE(file_text(link, most_file_bytes, Links::refused));
  CHECK(errno == ELOOP);
  CHECK(file_beginning(link) == "text");
  CHECK(file_beginning(link, 2, Links::refused).empty());
}
