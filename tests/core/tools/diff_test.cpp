#include "core/tools/diff.h"

#include <doctest/doctest.h>

#include <random>

using namespace skein;
using namespace skein::tools;

namespace {

struct Sides {
  std::string before, after;
  std::size_t changes = 0;
};

// What a diff says both sides were.
Sides sides(const std::vector<DiffLine>& lines) {
  Sides both;
  for (const DiffLine& line : lines) {
    if (line.change != Change::added) both.before += std::string(line.text) + "\n";
    if (line.change != Change::removed) both.after += std::string(line.text) + "\n";
    both.changes += line.change != Change::same;
  }
  return both;
}

std::string random_text(std::mt19937& random) {
  std::string text;
  for (auto lines = random() % 12; lines > 0; --lines)
    text += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
  return text;
}

// The fewest removed and added lines there can be, by the longest common subsequence.
std::size_t fewest_changes(const std::string& a, const std::string& b) {
  const std::size_t n = a.size() / 2, m = b.size() / 2;
  std::vector<std::vector<std::size_t>> common(n + 1, std::vector<std::size_t>(m + 1));
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j)
      common[i][j] = a[2 * i - 2] == b[2 * j - 2] ? common[i - 1][j - 1] + 1
                                                  : std::max(common[i - 1][j], common[i][j - 1]);
  return n + m - 2 * common[n][m];
}

}  // namespace

TEST_CASE("a diff holds both texts and as few changes as possible") {
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    const std::string before = random_text(random), after = random_text(random);
    const Sides both = sides(diff_lines(before, after));
    CAPTURE(before);
    CAPTURE(after);
    REQUIRE(both.before == before);
    REQUIRE(both.after == after);
    REQUIRE(both.changes == fewest_changes(before, after));
  }
}

TEST_CASE("a diff beyond its limit still holds both texts") {
  std::mt19937 random(11);
  for (int i = 0; i < 500; ++i) {
    const std::string before = random_text(random), after = random_text(random);
    const Sides both = sides(diff_lines(before, after, 2));
    REQUIRE(both.before == before);
    REQUIRE(both.after == after);
  }
}

TEST_CASE("a unified diff has hunks with three lines of context") {
  std::string before, after;
  for (int i = 1; i <= 30; ++i) {
    before += std::to_string(i) + "\n";
    if (i != 5 && i != 25) after += std::to_string(i) + "\n";
    if (i == 25) after += "new\n";
  }
  CHECK(unified_diff(before, after, "f") ==
        "--- a/f\n+++ b/f\n"
        "@@ -2,7 +2,6 @@\n 2\n 3\n 4\n-5\n 6\n 7\n 8\n"
        "@@ -22,7 +21,7 @@\n 22\n 23\n 24\n-25\n+new\n 26\n 27\n 28\n");
  CHECK(unified_diff("a\nb\nc\nd\ne\nf\ng\nh\n", "A\nb\nc\nd\ne\nf\ng\nH\n", "f") ==
        "--- a/f\n+++ b/f\n@@ -1,8 +1,8 @@\n-a\n+A\n b\n c\n d\n e\n f\n g\n-h\n+H\n");
  CHECK(unified_diff("same", "same", "f") == "");
}

TEST_CASE("a missing line end at the end is marked") {
  CHECK(unified_diff("a", "a\n", "f") ==
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  CHECK(unified_diff("a\n", "", "f") == "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-a\n");
}

TEST_CASE("a diff too long for a person ends with a line that says so") {
  CHECK(unified_diff("", "one\ntwo\nthree\n", "f", 24) ==
        "--- a/f\n+++ b/f\n@@ -0,0 +1,3 @@\n+one\n[… the rest of the diff is left out]\n");
  CHECK(unified_diff("", "\xff\n", "f") == "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+\uFFFD\n");
}

TEST_CASE("two large texts with nothing in common are compared in bounded time") {
  std::string before, after;
  for (int i = 0; i < 200'000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  CHECK(diff_lines(before, after).size() == 400'000);
}
