#include "core/text/log.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <regex>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

// A log in a folder of its own; nothing is logged after it.
struct Logged {
  explicit Logged(bool verbose) { start_log(folder(), verbose); }
  ~Logged() { start_log("", false); }
  std::string folder() const { return (dir / "state/skein").string(); }

  TempDir dir{};
};

}  // namespace

TEST_CASE("a log line has a level, a time, a subject and named values of one word each") {
  const Logged logged(true);

  log_debug("http", {{"method", "POST"}, {"status", 200}});
  log_warning("odd", {{"value", "two words\nand a line"}});

  const std::string time = R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})";
  CHECK(std::regex_match(read_file(log_file()),
                         std::regex("debug " + time + " http method=POST status=200\n" +
                                    "warning " + time + " odd value=two_words_and_a_line\n")));
  struct stat seen {};
  REQUIRE(stat(log_file().c_str(), &seen) == 0);
  CHECK((seen.st_mode & 0777) == 0600);
}

TEST_CASE("a log that is not verbose is made by its first warning, and has no debug lines") {
  const Logged logged(false);

  log_debug("http", {{"status", 200}});
  CHECK(!std::filesystem::exists(logged.folder()));

  log_warning("retry", {{"status", 503}});
  CHECK(read_file(log_file()).ends_with(" retry status=503\n"));
}

TEST_CASE("without a folder nothing is logged, and nothing breaks") {
  start_log("", true);
  log_warning("retry", {});
  CHECK(log_file().empty());

  start_log("/dev/null/skein", true);
  log_warning("retry", {});
  CHECK(!std::filesystem::exists(log_file()));
  start_log("", false);
}

TEST_CASE("a verbose log is there before anything is written to it") {
  const Logged logged(true);
  CHECK(std::filesystem::exists(log_file()));
}
