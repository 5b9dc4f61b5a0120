#include <doctest/doctest.h>

#include <chrono>
#include <ctime>

#include "core/text/pattern.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

bool found(std::string_view pattern, std::string_view line,
           Regex::Case letter_case = Regex::Case::sensitive) {
  const auto compiled = Regex::compile(pattern, letter_case);
  REQUIRE(std::holds_alternative<Regex>(compiled));
  const Regex& regex = std::get<Regex>(compiled);
  const bool matches = regex.found_in(line);
  if (matches) CHECK(line.find(regex.required()) != std::string_view::npos);
  return matches;
}

std::string refusal(std::string_view pattern) {
  const auto compiled = Regex::compile(pattern, Regex::Case::sensitive);
  const auto* problem = std::get_if<std::string>(&compiled);
  return problem ? *problem : "";
}

}  // namespace

TEST_CASE("expressions find what they say") {
  const std::tuple<const char*, const char*, bool> cases[] = {
      {"abc", "xabcx", true},
      {"abc", "ab", false},
      {"a.c", "a😀c", true},
      {"^ab", "ab", true},
      {"^ab", "xab", false},
      {"ab$", "xab", true},
      {"ab$", "abx", false},
      {"^$", "", true},
      {"^$", "x", false},
      {"a|b", "b", true},
      {"(a|b)c", "bc", true},
      {"(?:a|b)c", "dc", false},
      {"a*b", "aaab", true},
      {"a+b", "b", false},
      {"a?b", "b", true},
      {"a{2}b", "ab", false},
      {"a{2}b", "aab", true},
      {"a{1,2}c", "aac", true},
      {"^a{2,}$", "aaaa", true},
      {"^a{2,3}$", "aaaa", false},
      {"[a-c]", "b", true},
      {"[^a-c]", "b", false},
      {"[^a-c]", "d", true},
      {"[]a]", "]", true},
      {"[a-]", "-", true},
      {"[äö]", "ö", true},
      {"[α-ω]", "λ", true},
      {"\\d+", "x12", true},
      {"\\D", "12", false},
      {"\\w+\\s\\w+", "a b", true},
      {"\\bint\\b", "an int x", true},
      {"\\bint\\b", "print", false},
      {"\\Bint", "print", true},
      {"\\.", "a", false},
      {"\\.", ".", true},
      {"\\x41", "A", true},
      {"\\u00e4", "ä", true},
      {"^\\u0061\\u{62}[\\u0063]$", "abc", true},
      {"^\\\\u0061$", "\\u0061", true},
      {"\\x{1f600}", "😀", true},
      {"[\\d_]", "_", true},
      {"[\\W]", "a", false},
      {"[[:upper:]]", "a", false},
      {"[[:upper:]]", "A", true},
      {"if (x) {", "if x {", true},
      {"x{", "x{", true},
      {"a*?b", "aab", true},
      {"(a*)*b", "aaab", true},
      {"(a|)b", "b", true},
      {"()", "", true},
      {"(?i)ABC", "xabc", true},
      {"\\(\\)", "()", true},
      {"a||b", "zzz", true},
      {"^(ab|cd)*$", "abcdab", true},
      {"^(ab|cd)*$", "abcda", false},
      {"(a(b(c)?)?)?d", "abd", true}};
  for (const auto& [pattern, line, matches] : cases) {
    CAPTURE(pattern);
    CAPTURE(line);
    CHECK(found(pattern, line) == matches);
  }
  CHECK(found("straße", "STRAßE", Regex::Case::ignored));
  CHECK(found("[a-c]X", "Bx", Regex::Case::ignored));
  CHECK_FALSE(found("[^a]", "A", Regex::Case::ignored));
  CHECK(found("STRASSE|äÖ", "ÄÖ", Regex::Case::ignored));
}

TEST_CASE("what every match must hold is known of plain words only") {
  const auto required = [](std::string_view pattern, Regex::Case letter_case) {
    return std::get<Regex>(Regex::compile(pattern, letter_case)).required();
  };
  CHECK(required("int main", Regex::Case::sensitive) == "int main");
  CHECK(required("int main", Regex::Case::ignored).empty());
  for (const char* pattern :
       {"a.b", "ab*", "ab+", "ab?", "a|b", "^a", "a$", "(a)", "[a]", "a{0}", "\\x41", "(?i)a"}) {
    CAPTURE(pattern);
    CHECK(required(pattern, Regex::Case::sensitive).empty());
  }
}

TEST_CASE("expressions that cannot be used are refused with a reason") {
  for (const char* pattern :
       {"(", ")", "[", "[z-a]", "*a", "a**b(", "\\", "(?=x)", "(?<=x)", "(a)\\1", "a{3,2}",
        "(a{1000}){1000}", "\\x4", "\\u12", "\\q", "[[:nope:]]", "a{99999}"}) {
    CAPTURE(pattern);
    CHECK(refusal(pattern).starts_with("the pattern cannot be used: "));
  }
  CHECK(refusal("a(b") ==
        "the pattern cannot be used: missing ): a(b (RE2 syntax: no look-around, no back "
        "references)");
  CHECK_FALSE(refusal(std::string(10'000, '(')).empty());
  std::string large;
  for (int i = 0; i < 100; ++i) large += "(.?){900}";
  CHECK_FALSE(refusal(large).empty());
}

TEST_CASE("expressions that ruin others take linear time here") {
  const std::clock_t start = std::clock();  // of the processor, which others use too
  const std::string line(20'000, 'a');
  CHECK_FALSE(found("(a*)*b", line));
  CHECK_FALSE(found("(a|aa)+$b", line));
  CHECK_FALSE(found("(x+x+)+y", std::string(20'000, 'x')));
  CHECK_FALSE(found("^(([a-z])+.)+[A-Z]([a-z])+$", line));
  CHECK(std::clock() - start < 5 * CLOCKS_PER_SEC);
}

TEST_CASE("a line too long to be searched at once is searched in pieces that see all of it") {
  const char* pattern = "x.{1000}y";
  const auto compiled = Regex::compile(pattern, Regex::Case::sensitive);
  const std::size_t piece = std::get<Regex>(compiled).piece_bytes();
  REQUIRE(piece < 50'000);
  const std::string hit = "x" + std::string(1000, '-') + "y", far(3 * piece, '-');
  for (std::size_t at = piece - 1100; at < piece + 100; at += 50) {  // across the edge of a piece
    CAPTURE(at);
    CHECK(found(pattern, std::string(at, '-') + hit + far));
  }
  CHECK(found("x.{1000}y$", far + hit));
  CHECK_FALSE(found("x.{1000}y$", far + hit + far));
  CHECK(found("^x.{1000}y", hit + far));
  CHECK_FALSE(found("(^|b)x.{1000}y", far + hit));
  // No edge of a piece is taken for the line's start or end, or for a word's.
  const std::string word(3 * piece, 'a');
  CHECK_FALSE(found("\\ba.{1000}\\b", word));
  CHECK_FALSE(found("^a{1000}$", word));
}

TEST_CASE("a search that takes too long ends in time, within one line too") {
  TestWorkspace bench;
  bench.settings.limits.grep_time = std::chrono::milliseconds(500);  // by then it is being read
  std::string line(8'000'000, 'a');  // with an a here and there no two states are the same
  for (std::size_t i = 0, dice = 1; i < line.size(); ++i)
    if ((dice = dice * 1664525 + 1013904223) >> 20 & 1) line[i] = 'b';
  write_file(bench.root() / "line", line);
  const std::clock_t start = std::clock();
  const std::string result = bench.result("grep", {{"pattern", "a.{1000}c"}});
  CHECK(result.starts_with("[no line matches in 1 file]\n[timed out: there may be more]\n"));
  CHECK(std::clock() - start < 5 * CLOCKS_PER_SEC);
}

TEST_CASE("what may go unseen in a very long line is said") {
  TestWorkspace bench;
  write_file(bench.root() / "line", std::string(50'000, '-'));
  const std::string result = bench.result("grep", {{"pattern", "a.{1000}b"}});
  CHECK(
      result.starts_with("[no line matches in 1 file]\n[searched in pieces: 1 very long line; "
                         "a match of more than "));
  CHECK(bench.result("grep", {{"pattern", "a.*b"}}) == "[no line matches in 1 file]\n");
}

TEST_CASE("bytes that are not UTF-8 are searched as one character each") {
  TestWorkspace bench;
  write_file(bench.root() / "latin1", "gr\xfc\xdf\n\xe4\n\xe4\xb8\nend");
  CHECK(bench.result("grep", {{"pattern", "^gr..$"}}) == "latin1:1:gr\uFFFD\uFFFD\n");
  CHECK(bench.result("grep", {{"pattern", "^[^a-z]$"}, {"ignore_case", "=true"}})
            .starts_with("latin1:2:\uFFFD\n"));
  CHECK(bench.result("grep", {{"pattern", "end"}}) == "latin1:4:end\n");
}

TEST_CASE("matching lines come with their file and number") {
  TestWorkspace bench;
  write_file(bench.root() / "a.cpp", "one\nint x;\r\nint y;");
  write_file(bench.root() / "sub/b.h", "int z;\n");
  write_file(bench.root() / "bin", std::string_view("int\0", 4));
  fs::create_symlink("a.cpp", bench.root() / "link.cpp");
  CHECK(bench.result("grep", {{"pattern", "^int"}}) ==
        "a.cpp:2:int x;\na.cpp:3:int y;\nsub/b.h:1:int z;\n");
  CHECK(bench.result("grep", {{"pattern", "INT"}, {"ignore_case", "=true"}, {"include", "*.h"}}) ==
        "sub/b.h:1:int z;\n");
  CHECK(bench.result("grep", {{"pattern", "int"}, {"include", "sub/**"}}) == "sub/b.h:1:int z;\n");
  CHECK(bench.result("grep", {{"pattern", "x;$"}}) == "a.cpp:2:int x;\n");
  CHECK(bench.result("grep", {{"pattern", "y"}, {"path", "a.cpp"}}) == "a.cpp:3:int y;\n");
  CHECK(bench.result("grep", {{"pattern", "nothing"}}) == "[no line matches in 2 files]\n");
  CHECK(bench.call("grep", {{"pattern", "("}}).is_error);
  CHECK(bench.call("grep", {{"pattern", "x"}, {"path", "../outside"}}).is_error);
}

TEST_CASE("a search is bounded in lines, in their length and in file size") {
  TestWorkspace bench;
  bench.settings.limits.grep_lines = 3;
  bench.settings.limits.grep_file_bytes = 5000;
  write_file(bench.root() / "a", "x\nx\nx\nx\n");
  CHECK(bench.result("grep", {{"pattern", "x"}}) ==
        "a:1:x\na:2:x\na:3:x\n[the first 3 lines: there may be more]\n");
  write_file(bench.root() / "a", std::string(3000, 'x'));
  CHECK(bench.result("grep", {{"pattern", "x"}}).size() < 450);
  write_file(bench.root() / "a", std::string(6000, 'x'));
  CHECK(bench.result("grep", {{"pattern", "x"}}) ==
        "[no line matches in 0 files]\n[1 file larger than 5,000 bytes left out]\n");
}
