
#include <doctest/doctest.h>

#include <algorithm>

#include "core/store/files/named_files.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store::files;
using namespace skein::test;

namespace {

constexpr std::size_t block = 256u << 10;  // as much as is written at once

// No two pages alike, so that one in the place of another is seen.
std::string distinct_bytes(std::size_t count) {
  std::string out;
  out.reserve(count + 16);
  while (out.size() < count) out += std::to_string(out.size()) + ' ';
  out.resize(count);
  return out;
}

std::string content(Files& files, const std::string& path) {
  const auto bytes = read_whole(files, path, 64 * block);
  CHECK(bytes);
  return bytes ? *bytes : "";
}

std::vector<std::string> names_in(Files& files) {
  std::vector<std::string> names;
  CHECK(files.list("", names) == 0);
  return names;
}

void write_in_pieces(NewFile& file, std::string_view bytes, std::size_t piece) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    REQUIRE(file.write(bytes.substr(0, piece)));
}

void check_every_size(Files& files) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, block - 1,
                                 block, block + 1, 2 * block, 5 * block + 12'345})
    for (const std::size_t piece : {std::size_t{617}, std::size_t{4096}, 3 * block}) {
      const std::string bytes = distinct_bytes(size);
      NewFile file(files, "made", "making");
      write_in_pieces(file, bytes, piece);
      CHECK(file.rename_into_place());
      CHECK(file.stat().size == size);
      CHECK(content(files, "made") == bytes);
      CHECK(names_in(files) == std::vector<std::string>{"made"});
    }
}

}  // namespace

TEST_CASE("a new file holds what was written to it, however large and in whatever pieces") {
  const TempDir dir;
  check_every_size(*real_files((dir / "disk").string()));
  check_every_size(*memory_files());
}

TEST_CASE("a new file that starts over holds nothing of what it held") {
  const TempDir dir;
  const auto files = real_files((dir / "home").string());
  for (const std::size_t before : {std::size_t{10}, block, 3 * block + 7}) {
    NewFile file(*files, "made", "making");
    file.write(distinct_bytes(before));
    file.start_over();
    file.write("the rest");
    CHECK(file.rename_into_place());
    CHECK(content(*files, "made") == "the rest");
  }
}

TEST_CASE("nothing is left of a new file that never came into place") {
  const TempDir dir;
  const auto files = real_files((dir / "home").string());
  { NewFile(*files, "made", "making").write(distinct_bytes(2 * block + 1)); }
  CHECK(names_in(*files).empty());

  REQUIRE(replace_file(*files, "made", "there"));
  NewFile second(*files, "made", "making");
  second.write("another");
  CHECK(second.link_into_place().error().text == "making: File exists");
  CHECK(content(*files, "made") == "there");
}

TEST_CASE("a new file remembers what went wrong first") {
  const TempDir dir;
  const auto files = real_files((dir / "home").string());
  NewFile file(*files, "no-such-folder/made", "making");
  CHECK_FALSE(file.write("lost"));
  CHECK(file.finish().error().missing);
  CHECK(file.rename_into_place().error().missing);
}
