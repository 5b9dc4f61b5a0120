#include <doctest/doctest.h>

#include "core/tools/diff.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::tools;
using namespace skein::test;
namespace fs = std::filesystem;

TEST_CASE("a file is written with the folders it needs") {
  TestWorkspace bench;
  CHECK(bench.result("write", {{"path", "a/b/c.txt"}, {"content", "one\ntwo\n"}}) ==
        "wrote 2 lines, 8 bytes, to a/b/c.txt");
  CHECK(read_file(bench.root() / "a/b/c.txt") == "one\ntwo\n");
  CHECK(bench.result("write", {{"path", "a/b/c.txt"}, {"content", ""}}) ==
        "wrote 0 lines, 0 bytes, to a/b/c.txt");
  CHECK(read_file(bench.root() / "a/b/c.txt").empty());
  CHECK(bench.result("write", {{"path", "a/b"}, {"content", "x"}}) == "b: is a folder");
  CHECK(bench.result("write", {{"path", "."}, {"content", "x"}}) == ".: is a folder");
  CHECK(bench.call("write", {{"path", "a/b/c.txt/d"}, {"content", "x"}}).is_error);
  CHECK(bench.call("write", {{"path", "x"}}).is_error);
}

TEST_CASE("the preview of a write is a diff, and writes nothing") {
  TestWorkspace bench;
  write_file(bench.root() / "f", "one\ntwo\n");
  const model::Tool& write = *model::find_tool(bench.tools(), "write");
  CHECK(write.preview(json_of({{"path", "f"}, {"content", "one\n2\n"}})).text ==
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
  CHECK(write.preview(json_of({{"path", "new/g"}, {"content", "x\n"}})).text ==
        "--- a/new/g\n+++ b/new/g\n@@ -0,0 +1 @@\n+x\n");
  CHECK(snapshot(bench.root()).size() == 1);
}

TEST_CASE("a preview says if the call must fail") {
  TestWorkspace bench;
  write_file(bench.root() / "f", "a\nb\nb\n");
  const auto preview = [&](std::string_view tool, Members members) {
    return model::find_tool(bench.tools(), tool)->preview(json_of(members));
  };
  for (const auto& old_text : {"c", "b", "a"}) {
    const auto shown = preview("edit", {{"path", "f"}, {"old_text", old_text}, {"new_text", "x"}});
    CHECK(shown.must_fail == (std::string_view(old_text) != "a"));
  }
  CHECK(preview("edit", {{"path", "none"}, {"old_text", "a"}, {"new_text", "x"}}).must_fail);
  CHECK_FALSE(preview("write", {{"path", "g"}, {"content", "x"}}).must_fail);
}

TEST_CASE("the result of a change keeps its whole lines") {
  TestWorkspace bench;
  write_file(bench.root() / "f", "a + b\n");
  CHECK(model::diff_in(
            bench.call("edit", {{"path", "f"}, {"old_text", "b"}, {"new_text", "c"}}).meta) ==
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a + b\n+a + c\n");
  CHECK(model::diff_in(bench.call("write", {{"path", "f"}, {"content", "d\n"}}).meta) ==
        "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a + c\n+d\n");
  CHECK(bench.call("write", {{"path", "new"}, {"content", "d\n"}}).meta.empty());
}

TEST_CASE("the only occurrence of a text is replaced") {
  TestWorkspace bench;
  write_file(bench.root() / "f", "a\nb\nc\n");
  const Members members{{"path", "f"}, {"old_text", "b\n"}, {"new_text", "B\nBB\n"}};
  CHECK(model::find_tool(bench.tools(), "edit")->preview(json_of(members)).text ==
        "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n");
  CHECK(bench.result("edit", members) == "changed f at line 2");
  CHECK(read_file(bench.root() / "f") == "a\nB\nBB\nc\n");
}

TEST_CASE("a text that occurs more than once is replaced only when all are meant") {
  TestWorkspace bench;
  write_file(bench.root() / "f", "x\ny\nx\n");
  CHECK(bench.result("edit", {{"path", "f"}, {"old_text", "x"}, {"new_text", "z"}}) ==
        "f: `old_text` occurs 2 times (lines 1, 3); give more of the text around it, or set "
        "replace_all");
  CHECK(read_file(bench.root() / "f") == "x\ny\nx\n");
  CHECK(bench.result(
            "edit",
            {{"path", "f"}, {"old_text", "x"}, {"new_text", "z"}, {"replace_all", "=true"}}) ==
        "changed f at line 1 and 1 more place");
  CHECK(read_file(bench.root() / "f") == "z\ny\nz\n");
}

TEST_CASE("a text that is not there is answered with what is nearest") {
  TestWorkspace bench;
  write_file(bench.root() / "f", "int main() {\n\treturn 0;\n}\n");
  write_file(bench.root() / "crlf", "one\r\ntwo\r\n");
  CHECK(bench.result("edit", {{"path", "f"}, {"old_text", "  return 0;"}, {"new_text", "x"}}) ==
        "f: `old_text` is not in the file; it differs only in white space from line 2:\n\treturn "
        "0;\n");
  CHECK(bench.result("edit", {{"path", "crlf"}, {"old_text", "one\ntwo"}, {"new_text", "x"}}) ==
        "crlf: `old_text` is not in the file; it differs only in white space from line 1 (the "
        "file's lines end in CRLF):\none\r\ntwo\r\n");
  CHECK(
      bench.result("edit", {{"path", "f"}, {"old_text", "int main(void) {"}, {"new_text", "x"}}) ==
      "f: `old_text` is not in the file; the nearest is at line 1:\nint main() {\n");
  CHECK(bench.result("edit", {{"path", "f"}, {"old_text", "zebra"}, {"new_text", "x"}}) ==
        "f: `old_text` is not in the file");
  CHECK(bench.call("edit", {{"path", "f"}, {"old_text", ""}, {"new_text", "x"}}).is_error);
  CHECK(bench.call("edit", {{"path", "f"}, {"old_text", "x"}, {"new_text", "x"}}).is_error);
  CHECK(bench.call("edit", {{"path", "none"}, {"old_text", "x"}, {"new_text", "y"}}).is_error);
}

TEST_CASE("a file too large to edit is left alone") {
  TestWorkspace bench;
  bench.settings.limits.edit_bytes = 4;
  write_file(bench.root() / "f", "12345");
  CHECK(bench.result("edit", {{"path", "f"}, {"old_text", "1"}, {"new_text", "x"}}) ==
        "f: larger than the 4 bytes that can be edited");
}

TEST_CASE("the nearest lines of a very large text are found in bounded time") {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "line number " + std::to_string(i) + "\n";
  CHECK(nearest_lines(text, "line nubmer 777") != "");
  CHECK(nearest_lines("", "x") == "");
  CHECK(nearest_lines("x", "") == "");
}
