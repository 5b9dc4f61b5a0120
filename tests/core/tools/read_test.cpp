#include <doctest/doctest.h>

#include <unistd.h>

#include "core/text/base.h"
#include "tests/support/workbench.h"

using namespace skein;
using namespace skein::tools;
using namespace skein::test;
namespace fs = std::filesystem;

TEST_CASE("a file is read as it is") {
  TestWorkspace bench;
  write_file(bench.root() / "f", "one\n\ttwo\nthree");
  CHECK(bench.result("read", {{"path", "f"}}) == "one\n\ttwo\nthree");
}

TEST_CASE("a part of a file is read, and where to go on is told") {
  TestWorkspace bench;
  write_file(bench.root() / "f", "1\n2\n3\n4\n5\n");
  CHECK(bench.result("read", {{"path", "f"}, {"offset", "=2"}, {"limit", "=2"}}) ==
        "2\n3\n[the file continues: 10 bytes in all; read on with offset 4]");
  CHECK(bench.result("read", {{"path", "f"}, {"offset", "=4"}, {"limit", "=2.0"}}) == "4\n5\n");
  CHECK(bench.result("read", {{"path", "f"}, {"offset", "=9"}}) ==
        "[no line 9: the file ends before it]");
}

TEST_CASE("a line is not looked for without end") {
  TestWorkspace bench;
  bench.settings.limits.read_scan_bytes = 100'000;
  write_file(bench.root() / "sparse", "one\ntwo\n" + std::string(9000, 'x') + "\n");
  fs::resize_file(bench.root() / "sparse", std::uintmax_t{1} << 40);
  CHECK(bench.result("read", {{"path", "sparse"}, {"offset", "=5"}}) ==
        "sparse: line 5 does not begin within the first 100,000 of 1,099,511,627,776 bytes; bash "
        "(tail, sed) can look further");
  CHECK(bench.result("read", {{"path", "sparse"}, {"limit", "=2"}}) ==
        "one\ntwo\n[the file continues: 1,099,511,627,776 bytes in all; read on with offset 3]");
}

TEST_CASE("a long file stops at whole lines, a long line between characters") {
  TestWorkspace bench;
  bench.settings.limits.result_bytes = 20;
  write_file(bench.root() / "lines", "12345678\n12345678\n12345678\n");
  write_file(bench.root() / "line", "ä€😀ä€😀ä€😀ä€😀");
  CHECK(bench.result("read", {{"path", "lines"}}) ==
        "12345678\n12345678\n[the file continues: 27 bytes in all; read on with offset 3]");
  const std::string cut = bench.result("read", {{"path", "line"}});
  CHECK(cut.starts_with("ä€😀ä€"));
  CHECK(cut.find("\uFFFD") == std::string::npos);
  CHECK(cut.find("[line 1 is longer than") != std::string::npos);
}

TEST_CASE("a sparse file of ten gigabytes is read in bounded memory") {
  TestWorkspace bench;
  write_file(bench.root() / "huge", "first\n");
  REQUIRE(truncate((bench.root() / "huge").c_str(), 10'000'000'000) == 0);
  const std::string text = bench.result("read", {{"path", "huge"}});
  CHECK(text.starts_with("huge: a binary file, 10,000,000,000 bytes"));
}

TEST_CASE("bytes that are not UTF-8 are replaced, files that are not text are dumped") {
  TestWorkspace bench;
  write_file(bench.root() / "latin", "caf\xe9\n");
  write_file(bench.root() / "binary", std::string_view("\x7f"
                                                       "ELF\0\1",
                                                       6));
  write_file(bench.root() / "empty", "");
  CHECK(bench.result("read", {{"path", "latin"}}) == "caf\uFFFD\n");
  CHECK(bench.result("read", {{"path", "binary"}}) ==
        "binary: an ELF program or library, 6 bytes; it begins with\n0000  7f 45 4c 46 00 01  "
        ".ELF..\n");
  CHECK(bench.result("read", {{"path", "empty"}}) == "[the file is empty]");
}

TEST_CASE("a notebook is read as the text of its cells, in parts as other files are") {
  TestWorkspace bench;
  write_file(bench.root() / "plot.ipynb", R"json({"cells": [
    {"cell_type": "markdown", "source": ["# Sums\n", "of two"]},
    {"cell_type": "code", "source": "print(1 + 1)", "outputs": [
      {"output_type": "stream", "text": ["2\n"]},
      {"output_type": "display_data", "data": {"image/png": "aGk=", "text/plain": "<Figure>"}},
      {"output_type": "error", "ename": "NameError", "evalue": "x", "traceback": ["..."]}]}],
    "nbformat": 4})json");
  CHECK(bench.result("read", {{"path", "plot.ipynb"}}) ==
        "[cell 1, markdown]\n# Sums\nof two\n[cell 2, code]\nprint(1 + 1)\n[output of cell 2]\n2\n"
        "<Figure>\n[image/png]\nNameError: x\n");
  CHECK(bench.result("read", {{"path", "plot.ipynb"}, {"offset", "=2"}, {"limit", "=1"}}) ==
        "# Sums\n[the file continues: 116 bytes in all; read on with offset 3]");
  write_file(bench.root() / "old.ipynb", R"({"worksheets": []})");
  CHECK(bench.result("read", {{"path", "old.ipynb"}}) ==
        "old.ipynb: a notebook that is damaged, or older than version 4");
}

TEST_CASE("an image comes as an image, kept as a blob") {
  const std::pair<std::string, std::string> images[] = {
      {"\x89PNG\r\n\x1a\n....", "image/png"},
      {"\xff\xd8\xff\xe0....", "image/jpeg"},
      {"GIF89a....", "image/gif"},
      {std::string("RIFF\0\0\0\0WEBP....", 16), "image/webp"}};
  for (const auto& [bytes, type] : images) {
    TestWorkspace bench;
    write_file(bench.root() / "picture", bytes);
    std::string kept;
    model::ToolPorts ports;
    ports.keep_blob = [&](std::string_view blob) {
      kept = blob;
      return "name";
    };
    const model::ToolOutcome outcome = bench.call("read", {{"path", "picture"}}, ports);
    REQUIRE(outcome.content.size() == 2);
    CHECK(std::get<model::Image>(outcome.content[1]) == model::Image{type, "name"});
    CHECK(kept == bytes);
    CHECK(bench.call("read", {{"path", "picture"}}).is_error);  // nowhere to keep it
  }
  TestWorkspace bench;
  bench.settings.limits.image_bytes = 8;
  write_file(bench.root() / "picture", images[0].first);
  model::ToolPorts ports;
  ports.keep_blob = [](std::string_view) { return ""; };
  CHECK(bench.call("read", {{"path", "picture"}}, ports).is_error);
}

TEST_CASE("what cannot be read is told in a sentence") {
  TestWorkspace bench;
  fs::create_directories(bench.root() / "folder");
  CHECK(bench.result("read", {{"path", "no"}}) == "no: No such file or directory");
  CHECK(bench.result("read", {{"path", "folder"}}) == "folder: is a folder");
  CHECK(bench.result("read", {{"path", "../outside/secret"}}) ==
        "../outside/secret: outside the workspace");
  CHECK(bench.result("read", {}) == "`path` is missing or not a string");
  CHECK(bench.result("read", {{"path", "=7"}}) == "`path` is missing or not a string");
  CHECK(bench.result("read", {{"path", "no"}, {"offset", "=-1"}}) ==
        "`offset` is not a whole number");
  CHECK(text_of(model::find_tool(bench.tools(), "read")->run("nonsense", {})) ==
        "the input is not a JSON object");
}

TEST_CASE("every tool has a schema that is JSON, a title for any input and an effect") {
  TestWorkspace bench;
  std::vector<std::string> names, changing;
  for (const model::Tool& tool : bench.tools()) {
    names.push_back(tool.name);
    if (tool.effect != model::Effect::reads) changing.push_back(tool.name);
    CHECK(tool.schema.find("\"type\": \"object\"") != std::string::npos);
    for (const char* input :
         {"", "{}", "[]", "{\"path\":7}", R"({"path":"a\nb\u001b[2J","command":"a\nb"})"}) {
      CHECK(tool.title(input).starts_with(tool.name));
      CHECK(tool.title(input).find('\n') == std::string::npos);
      if (tool.preview) CHECK(tool.preview(input).text.size() < 1000);
    }
  }
  CHECK(names == std::vector<std::string>{"read", "write", "edit", "list", "grep", "bash"});
  CHECK(changing == std::vector<std::string>{"write", "edit", "bash"});
  CHECK(model::find_tool(bench.tools(), "read")->title(R"({"path":"./src//main.cpp"})") ==
        "read src/main.cpp");
}
