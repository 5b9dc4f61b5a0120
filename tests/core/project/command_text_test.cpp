#include "core/project/command_text.h"

#include <doctest/doctest.h>

#include <string>

#include "core/text/base.h"

using namespace skein;
using project::CommandPiece, project::CommandValues, project::fill_in;

namespace {

// Pieces as one text, commands in ⟨⟩.
std::string filled(const std::string& body, const CommandValues& values) {
  std::string out;
  for (const CommandPiece& piece : fill_in(body, values))
    out += piece.is_shell ? "<" + piece.text + ">" : piece.text;
  return out;
}
std::string filled(const std::string& body, const std::string& typed = "") {
  return filled(body, CommandValues{.typed = typed});
}

}  // namespace

TEST_CASE("arguments are inserted as typed, or by number") {
  CHECK(filled("Look at $ARGUMENTS.", "a  'b c'") == "Look at a  'b c'.");
  CHECK(filled("$1 and $2, not $3.", "one 'two words'") == "one and two words, not .");
  CHECK(filled("$0 and $1", "one two") == "one and two");
  CHECK(filled("$ARGUMENTS[0] then $1", "one two") == "one then two");
  CHECK(filled("${1:-main} ${2:-x y}", "dev") == "dev x y");
  CHECK(filled("$10", "a b c d e f g h i j") == "j");
  CHECK(filled("costs \\$1, was $1", "5") == "costs $1, was 5");
  CHECK(filled("$unknown ${OTHER} $ 100%", "") == "$unknown ${OTHER} $ 100%");
}

TEST_CASE("arguments can have names, by position") {
  const CommandValues values{.typed = "12 high", .names = {"issue", "priority"}};
  CHECK(filled("Fix $issue ($priority), $issues", values) == "Fix 12 (high), $issues");
}

TEST_CASE("what skein knows has a name, in two spellings") {
  const CommandValues values{.session = "s1", .skill_folder = "/k", .project_folder = "/p"};
  CHECK(filled("${SKEIN_SESSION_ID} ${CLAUDE_SKILL_DIR}/x ${SKEIN_PROJECT_DIR}", values) ==
        "s1 /k/x /p");
}

TEST_CASE("arguments that the file has no place for come at the end") {
  CHECK(filled("Review it.", "HEAD~3") == "Review it.\n\nARGUMENTS: HEAD~3");
  CHECK(filled("Review it.\n", "") == "Review it.");
  CHECK(filled("", "x") == "\n\nARGUMENTS: x");
}

TEST_CASE("what was inserted is not looked at again") {
  CHECK(filled("$1 $2", "'$2' '!`date`'") == "$2 !`date`");
}

TEST_CASE("commands stand at the beginning of a line or after white space") {
  CHECK(filled("!`date`\nand !`git status`.") == "<date>\nand <git status>.");
  CHECK(filled("x!`date` and !`never closed\n") == "x!`date` and !`never closed");
  CHECK(filled("a\n```!\ngit log\ngit diff\n```\nb") == "a\n<git log\ngit diff>\nb");
  CHECK(filled("```sh\ngit log\n```") == "```sh\ngit log\n```");
  CHECK(filled("```!\nnever closed") == "```!\nnever closed");
}

TEST_CASE("an argument is one word to the shell, whatever it holds") {
  CHECK(filled("!`echo $ARGUMENTS`", "a; rm -rf ~") == "<echo 'a;' rm -rf '~'>");
  CHECK(filled("!`echo \"$ARGUMENTS\"`", "a; $(x)") == "<echo \"\"'a; $(x)'\"\">");
  CHECK(filled("!`echo '$1'`", "it\\'s") == "<echo '''it'\\''s'''>");
  CHECK(filled("!`echo $1 end`", "'$(reboot)'") == "<echo '$(reboot)' end>");
  CHECK(filled("!`git diff $1`") == "<git diff >");
  CHECK(filled("!`awk '{print \\$1}' $1`", "f") == "<awk '{print \\$1}' f>");
  CHECK(filled("!`ls ${SKEIN_PROJECT_DIR}/x`", CommandValues{.project_folder = "/a b"}) ==
        "<ls '/a b'/x>");
}

TEST_CASE("where quoting cannot be made sure, only harmless arguments are inserted") {
  CHECK(filled("!`echo \"$(git log $1)\"`", "HEAD^") == "<echo \"$(git log HEAD^)\">");
  for (const char* command : {"echo \"$(git log \"$1\")\"", "echo ${X:-$1}", "cat <<E\n$1\nE",
                              "# don't\necho $1", "echo it's $1", "echo $'\\'' $1"}) {
    CAPTURE(command);
    CHECK_THROWS_AS(filled("```!\n" + std::string(command) + "\n```", "'$(x)'"), Error);
  }
}

TEST_CASE("words are split by quotes and backslashes") {
  using project::split_words;
  using Words = std::vector<std::string>;
  CHECK(split_words("") == Words{});
  CHECK(split_words("  a\tb ") == Words{"a", "b"});
  CHECK(split_words("'a b' \"c 'd'\" e\\ f ''") == Words{"a b", "c 'd'", "e f", ""});
  CHECK(split_words("\"open") == Words{"open"});
  CHECK(split_words("a\\") == Words{"a\\"});
}

TEST_CASE("line ends of other systems are no part of it") {
  CHECK(filled("a\r\n!`date`\r\nb\r\n") == "a\n<date>\nb");
}
