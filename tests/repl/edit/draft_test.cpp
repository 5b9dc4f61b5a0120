#include "repl/edit/line_edit.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "repl/prompt/history.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::edit;
using namespace skein::test;

namespace {

std::string many_lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "line " + std::to_string(i) + "\n";
  return out;
}

}  // namespace

TEST_CASE("a paste keeps its lines and tabs and loses what could drive a terminal") {
  CHECK(pasted_text("a\r\nb\rc\nd\te") == "a\nb\nc\nd\te");
  CHECK(pasted_text("x\x1b[31my\x03z\x7f") == "x[31myz");
  CHECK(pasted_text("caf\xC3\xA9 \xFF") == "café \uFFFD");
}

TEST_CASE("a long paste is a chip in the line and sent in full") {
  Draft draft;
  CHECK_FALSE(deserves_chip("two\nlines"));
  CHECK(deserves_chip(many_lines(84)));
  CHECK(deserves_chip(std::string(801, 'x')));

  draft.text = make_chip(draft, many_lines(84));
  CHECK(draft.text == "[Pasted text #1 +84 lines]");
  draft.text += " why? " + make_chip(draft, std::string(900, 'y'));
  CHECK(draft.text == "[Pasted text #1 +84 lines] why? [Pasted text #2, 900 bytes]");
  CHECK(whole(draft) == many_lines(84) + " why? " + std::string(900, 'y'));
}

TEST_CASE("what looks like a chip but was typed, or stands in a paste, is only text") {
  Draft draft{.text = "[Pasted text #1 +84 lines]"};
  CHECK(whole(draft) == draft.text);
  draft.text = make_chip(draft, "[Pasted text #1 +7 lines]\n" + many_lines(6));
  CHECK(draft.text == "[Pasted text #1 +7 lines]");
  CHECK(whole(draft) == draft.pasted[0]);
}

TEST_CASE("a chip is found from both its ends") {
  Draft draft;
  const std::string chip = make_chip(draft, many_lines(10));
  draft.text = "a" + chip + "b";
  CHECK(chip_before(draft, 1 + chip.size()) == chip.size());
  CHECK(chip_before(draft, chip.size()) == 0);
  CHECK(chip_after(draft, 1) == chip.size());
  CHECK(chip_after(draft, 0) == 0);
}

TEST_CASE("a draft is there again with its chips, and gone when it was sent") {
  TempDir dir;
  const prompt::Drafts drafts(dir / "drafts");
  const Id session{7}, other{8};
  Draft draft;
  draft.text = "see " + make_chip(draft, many_lines(20)) + " \"quoted\"\n";

  drafts.keep(session, draft);
  CHECK(prompt::Drafts(dir / "drafts").load(session) == draft);
  CHECK(drafts.load(other) == Draft{});
  struct stat status {};
  REQUIRE(stat((dir / "drafts" / to_string(session)).c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  drafts.keep(session, {});
  CHECK(drafts.load(session) == Draft{});
  CHECK_FALSE(std::filesystem::exists(dir / "drafts" / to_string(session)));
}

TEST_CASE("a damaged draft is an empty one") {
  TempDir dir;
  std::filesystem::create_directory(dir / "drafts");
  write_file(dir / "drafts" / to_string(Id{7}), "{\"text\": \"cut sh");
  CHECK(prompt::Drafts(dir / "drafts").load(Id{7}) == Draft{});
}

TEST_CASE("the path of an image that was dropped on the terminal names it in the prompt") {
  const TempDir dir;
  const std::string plain = (dir / "shot.PNG").string(), spaced = (dir / "my shot.png").string();
  write_file(plain, "x");
  write_file(spaced, "x");
  write_file(dir / "notes.txt", "x");
  const auto replaced = [](std::string text, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(' ', at)) != std::string::npos; at += with.size())
      text.replace(at, 1, with);
    return text;
  };
  CHECK(dropped_image(plain) == "@" + plain + " ");
  CHECK(dropped_image(plain + " \n") == "@" + plain + " ");
  for (const std::string& quoted : {spaced, "'" + spaced + "'", "\"" + spaced + "\"",
                                    replaced(spaced, "\\ "), "file://" + replaced(spaced, "%20")})
    CHECK(dropped_image(quoted) == "@\"" + spaced + "\" ");
  for (const std::string& other :
       {std::string{}, std::string("shot.png"), std::string("/nobody/shot.png"),
        (dir / "notes.txt").string(), "see " + plain, plain + "\n" + plain, std::string("file://%"),
        std::string("/.png")})
    CHECK_FALSE(dropped_image(other));
}
