#include "core/instructions/instructions.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace skein::instructions;

using Words = std::vector<std::string>;

TEST_CASE("comments that begin a line are not said") {
  CHECK(without_comments("a\n<!-- hidden -->\nb\n") == "a\nb\n");
  CHECK(without_comments("<!-- one\ntwo\n-->\nb\n") == "b\n");
  CHECK(without_comments("  <!-- x --> said\n") == " said\n");
  CHECK(without_comments("a <!-- inline --> b\n") == "a <!-- inline --> b\n");
  CHECK(without_comments("a\n<!-- never closed\nb\n") == "a\n");
  CHECK(without_comments("    <!-- indented code -->\n") == "    <!-- indented code -->\n");
  CHECK(without_comments("<!-->\nx\n") == "x\n");
}

TEST_CASE("a comment in fenced code is code") {
  const std::string fenced = "```html\n<!-- kept -->\n```\n";
  CHECK(without_comments(fenced + "<!-- gone -->\nb\n") == fenced + "b\n");
  const std::string tildes = "~~~\n```\n<!-- kept -->\n~~~\n";
  CHECK(without_comments(tildes + "<!-- gone -->\n") == tildes);
  CHECK(without_comments("```code``` span\n<!-- gone -->\n") == "```code``` span\n");
}

TEST_CASE("a fence in a comment opens nothing") {
  CHECK(without_comments("<!--\n```\n-->\n<!-- gone -->\nb\n") == "b\n");
}

TEST_CASE("mentions stand alone or behind a blank") {
  CHECK(mentions_in("@a.md\nsee @docs/b.md, and @c.\nme@mail.org (@d)\n\t@~/e.md") ==
        Words{"a.md", "docs/b.md", "c", "~/e.md"});
  CHECK(mentions_in("@a @a @b") == Words{"a", "b"});
  CHECK(mentions_in("@ alone, @.").empty());
}

TEST_CASE("code mentions nothing") {
  CHECK(mentions_in("`@a` and ``x ` @b`` but @c").size() == 1);
  CHECK(mentions_in("```\n@a\n```\n~~~~\n@b\n~~~\n@c\n~~~~\n@d") == Words{"d"});
  CHECK(mentions_in("an open ` tick @a") == Words{"a"});
}
