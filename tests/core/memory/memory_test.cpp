#include "core/memory/memory.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::memory;
using namespace skein::test;

namespace {

const std::string session = "3fa1000000000001", entry = "9bc2000000000002";

Note said(const std::string& text) {
  return {.text = text, .session = session, .entry = entry, .date = "2026-11-15"};
}

}  // namespace

TEST_CASE("a note says where it comes from, and the model is not told") {
  TempDir dir;
  const NoteFile file((dir / "deep/er/p.md").string());
  CHECK(file.text().empty());
  CHECK(file.add(said("use pnpm")) ==
        "- use pnpm <!-- 3fa1000000000001/9bc2000000000002 2026-11-15 -->");
  CHECK(notes_in(file.text()) == std::vector<Note>{said("use pnpm")});
  CHECK(told_of(file.text()) == "- use pnpm\n");
}

TEST_CASE("a note is one line, whatever is in it") {
  for (const char* text : {"a\nb", "a --> b <!-- c", "x\x1b[31m\r\ny", " \t padded \n"}) {
    CAPTURE(text);
    const std::string line = line_of(said(text));
    CHECK(line.find('\n') == std::string::npos);
    CHECK(line.find('\x1b') == std::string::npos);
    const std::vector<Note> notes = notes_in(line + "\n");
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].session == session);
  }
  CHECK(line_of(said(" \n ")).empty());
  CHECK_THROWS_AS(NoteFile("").add(said("x")), Error);
}

TEST_CASE("what people write by hand counts, without a source") {
  const std::vector<Note> notes =
      notes_in("# Notes\n\n- by hand\n* another <!-- just a comment -->\nplain words\n");
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] == Note{.text = "by hand"});
  CHECK(notes[1] == Note{.text = "another"});
  CHECK(told_of("# Notes\n\nplain words\n- x <!-- y -->\n") == "# Notes\n\nplain words\n- x\n");
}

TEST_CASE("a file that was left without a newline gets one first") {
  TempDir dir;
  write_file(dir / "p.md", "- by hand");
  const NoteFile file((dir / "p.md").string());
  file.add(said("new"));
  CHECK(notes_in(file.text()).size() == 2);
}

TEST_CASE("of a long file the first lines are told, with a mark") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "- " + std::to_string(i) + "\n";
  const std::string told = told_of(text);
  CHECK(told.find("- 199\n[cut here: there is more]\n") != std::string::npos);
  CHECK(told.find("- 200\n") == std::string::npos);
  CHECK(told_of("- " + std::string(20'000, 'x') + "\n") == "[cut here: there is more]\n");
}

TEST_CASE("notes for every project come before a project's own, and changes are noticed") {
  TempDir dir;
  Memory memory(dir.path().string(), "0123456789abcdef");
  CHECK_FALSE(memory.refresh());
  memory.file(Scope::project).add(said("here"));
  memory.file(Scope::everywhere).add(said("everywhere"));
  CHECK(memory.refresh());
  CHECK_FALSE(memory.refresh());
  CHECK(memory.told(Scope::project) == "- here\n");
  const auto notes = memory.notes();
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].note.text == "everywhere");
  CHECK(notes[1].scope == Scope::project);
  CHECK(Memory("", "x").notes().empty());
}
