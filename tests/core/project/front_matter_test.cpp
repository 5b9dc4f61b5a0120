#include "core/project/markdown_files.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;
using project::FrontMatter, project::read_front_matter;

namespace {

std::string body_of(const std::string& file) { return file.substr(read_front_matter(file).body); }

std::string fault_of(const std::string& yaml) {
  const FrontMatter read = read_front_matter("---\n" + yaml + "\n---\n");
  return read.fault ? std::to_string(read.fault->line) + ": " + read.fault->reason : "none";
}

std::string value_of(const std::string& yaml, const char* name = "description") {
  const FrontMatter read = read_front_matter("---\n" + yaml + "\n---\nbody\n");
  REQUIRE_MESSAGE(!read.fault, (read.fault ? read.fault->reason : ""));
  return read.text(name);
}

}  // namespace

TEST_CASE("values, lists and one level of maps are read, and the rest is the body") {
  const std::string file =
      "---\n"
      "name: pdf-tools  # a comment\n"
      "description: >\n"
      "  Extract text\n"
      "  and tables.\n"
      "tools: [read, \"bash\"]\n"
      "paths:\n"
      "  - 'src/**'\n"
      "  - \"*.md\"\n"
      "metadata:\n"
      "  author: someone\n"
      "  version: 1.0\n"
      "notes: |\n"
      "  one\n"
      "  two\n"
      "---\n"
      "# Body\n---\nmore\n";
  const FrontMatter read = read_front_matter(file);
  REQUIRE(!read.fault);
  CHECK(read.text("name") == "pdf-tools");
  CHECK(read.text("description") == "Extract text and tables.\n");
  CHECK(read.list("tools") == std::vector<std::string>{"read", "bash"});
  CHECK(read.list("paths") == std::vector<std::string>{"src/**", "*.md"});
  CHECK(read.map("metadata") == project::StringMap{{"author", "someone"}, {"version", "1.0"}});
  CHECK(read.text("notes") == "one\ntwo\n");
  CHECK(read.find("missing") == nullptr);
  CHECK(body_of(file) == "# Body\n---\nmore\n");
}

TEST_CASE("a file without front matter is all body") {
  for (const char* file : {"", "# Title\n", "text\n---\na: b\n---\n", "----\na: b\n---\n"}) {
    const FrontMatter read = read_front_matter(file);
    CHECK(!read.fault);
    CHECK(read.fields.empty());
    CHECK(read.body == 0);
  }
}

TEST_CASE("a mark at the beginning and carriage returns are accepted") {
  const std::string file = "\xEF\xBB\xBF---\r\nname: a\r\ndescription: b: c\r\n---\r\nbody\r\n";
  const FrontMatter read = read_front_matter(file);
  REQUIRE(!read.fault);
  CHECK(read.text("name") == "a");
  CHECK(read.text("description") == "b: c");
  CHECK(body_of(file) == "body\r\n");
}

TEST_CASE("a plain value that YAML refuses is taken whole") {
  CHECK(value_of("description: Use when: the user's file is big") ==
        "Use when: the user's file is big");
  CHECK(value_of("a: x: y\ndescription: c: d\nb: e: f") == "c: d");
  CHECK(value_of("description: [file] [mode]") == "[file] [mode]");
  CHECK(value_of("description: @someone does it") == "@someone does it");
  CHECK(value_of("description: `code` first") == "`code` first");
  CHECK(value_of("description: *.ts") == "*.ts");
  CHECK(value_of("description: **/*.{ts,tsx}") == "**/*.{ts,tsx}");
  CHECK(value_of("description: ends with:") == "ends with:");
  CHECK(value_of("description: 'quoted: fine'") == "quoted: fine");
  CHECK(value_of("description: \"it's \\u00e9\"") == "it's \xC3\xA9");
  CHECK(value_of("description: \xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x8E\x89") ==
        "\xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x8E\x89");
  CHECK(value_of("description: " + std::string(2000, 'x')).size() == 2000);
  CHECK(value_of("description:").empty());
  CHECK(value_of("# nothing but a comment").empty());
}

TEST_CASE("what is not read is refused with its line and the reason") {
  CHECK(fault_of("name: a\ndescription: &x b") == "3: anchors (&) are not supported");
  CHECK(fault_of("name: a\nother: *name") == "3: aliases (*) are not supported");
  CHECK(fault_of("name: !!str a") == "2: tags (!) are not supported");
  CHECK(fault_of("- a\n- b") == "2: expected `name: value`");
  CHECK(fault_of("just text") == "2: expected `name: value`");
  CHECK(fault_of("a: b\n...\n") == "none");
  CHECK(fault_of("a: b\n...\nc: d") != "none");
  CHECK(fault_of("%YAML 1.1") != "none");
  CHECK(fault_of("a: 1\na: 2") == "3: `a` is given twice");
  CHECK(fault_of("tools:\n  b:\n    c: d") == "4: maps inside maps are not supported");
  CHECK(fault_of("disallowedTools: [[b]]") == "2: a list may only hold plain values");
  CHECK(fault_of("? [a]\n: b") == "2: a name must be a word");
  CHECK(fault_of("a: \"never closed") != "none");
  CHECK(fault_of("a: b\n\tc: d").starts_with("3: "));
  CHECK(fault_of("a: b\nc: \x01").starts_with("3: "));
}

TEST_CASE("a nested value of a field that skein does not use is skipped, and the rest is read") {
  const FrontMatter read = read_front_matter(
      "---\nname: a\nhooks:\n  PreToolUse:\n    - matcher: \"Edit\"\n      hooks:\n"
      "        - type: command\n          command: ./x.sh\n  Stop: []\n"
      "mcpServers: [{docs: {type: http}}, other]\ndescription: b\n---\nbody\n");
  REQUIRE(!read.fault);
  CHECK(read.text("name") == "a");
  CHECK(read.text("description") == "b");
  REQUIRE(read.find("hooks") != nullptr);
  CHECK(read.text("hooks").empty());
  CHECK(read.list("mcpServers").empty());
}

TEST_CASE("front matter that is never closed, or too long, is refused") {
  const FrontMatter open = read_front_matter("---\nname: a\n# Title\n");
  REQUIRE(open.fault);
  CHECK(open.fault->line == 1);
  CHECK(open.fault->reason == "the front matter is never closed with ---");
  const std::string padding(project::front_matter_limit + 1, '#');
  const FrontMatter lengthy = read_front_matter("---\n" + padding + "\n---\n");
  REQUIRE(lengthy.fault);
  CHECK(lengthy.fault->reason == "the front matter is longer than 64 KiB");
}

TEST_CASE("lists are divided outside of brackets, and words of truth are known") {
  const FrontMatter read = read_front_matter(
      "---\ntools: Bash(git add:*, git status) Read, Edit\npaths: src/*.{ts,tsx}, b\nt: Yes\nf: 0\n"
      "n: maybe\n---\n");
  REQUIRE(!read.fault);
  CHECK(read.list("tools", ", ") ==
        std::vector<std::string>{"Bash(git add:*, git status)", "Read", "Edit"});
  CHECK(read.list("paths") == std::vector<std::string>{"src/*.{ts,tsx}", "b"});
  CHECK(read.flag("t") == true);
  CHECK(read.flag("f") == false);
  CHECK(read.flag("n") == std::nullopt);
  CHECK(read.flag("missing") == std::nullopt);
}

TEST_CASE("a thousand values that YAML refuses are given up, not read a thousand times") {
  std::string yaml;
  for (int i = 0; i < 1000; ++i) yaml += "k" + std::to_string(i) + ": a: b\n";
  CHECK(fault_of(yaml) != "none");
}
