#include "core/jobs/output_log.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "core/text/base.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::jobs;
using namespace skein::test;

namespace {

constexpr OutputLog::Size small{10, 30};

std::string numbered(int from, int to) {
  std::string out;
  for (int i = from; i < to; ++i) out += static_cast<char>('a' + i % 26);
  return out;
}

}  // namespace

TEST_CASE("a short output is in the file as it was printed") {
  const TempDir dir;
  const std::string path = dir.path() / "1.log";
  OutputLog log(path, OutputLog::Use::create);
  log.add("one\n");
  log.add("two\n");

  CHECK(std::filesystem::file_size(path) == 8);
  CHECK(log.printed() == 8);
  CHECK(log.read(0, 100).text == "one\ntwo\n");
  CHECK(log.read(4, 100).text == "two\n");
  CHECK(log.read(4, 100).next == 8);
  CHECK(log.read(1000, 100).text.empty());
  CHECK(log.tail(1, 100).text == "two\n");
  CHECK(log.tail(5, 100).text == "one\ntwo\n");
}

TEST_CASE("of a long output the beginning and the end are left, and a reader is told of the gap") {
  const TempDir dir;
  const std::string path = dir.path() / "1.log";
  OutputLog log(path, OutputLog::Use::create, small);
  for (int i = 0; i < 1000; i += 7) log.add(numbered(i, i + 7));
  const std::uint64_t all = log.printed();

  CHECK(all == 1001);
  CHECK(std::filesystem::file_size(path) == small.whole + 8);
  const OutputLog::Piece head = log.read(0, 100);
  CHECK(head.text == numbered(0, 10));
  const OutputLog::Piece rest = log.read(head.next, 100);
  CHECK(rest.from == all - 20);
  CHECK(rest.text == numbered(981, 1001));
  CHECK(rest.next == all);

  const OutputLog other(path, OutputLog::Use::read, small);
  CHECK(other.printed() == all);
  CHECK(other.read(all - 5, 100).text == numbered(996, 1001));
  OutputLog later(path, OutputLog::Use::go_on, small);
  later.add("!");
  CHECK(other.read(all - 5, 100).text == numbered(996, 1001) + "!");
}

TEST_CASE("a piece cuts no character, and what is no text becomes some") {
  const TempDir dir;
  OutputLog log(dir.path() / "1.log", OutputLog::Use::create);
  log.add("a😀b\xff");
  const OutputLog::Piece first = log.read(0, 3);
  CHECK(first.text == "a");
  CHECK(log.read(first.next, 4).text == "😀");
  CHECK(is_valid_utf8(log.read(0, 100).text));
}

TEST_CASE("a log that cannot be made is an error") {
  CHECK_THROWS_AS(OutputLog("/nowhere/at/all.log", OutputLog::Use::create), Error);
}
