#include <doctest/doctest.h>

#include "app/manual/pages.h"

namespace {

using skein::manual::flowing;

TEST_CASE("A paragraph of a page becomes one line, and so does an item") {
  CHECK(flowing("# Title\n\none\ntwo\n\n- three\n  four\n- five\n1. six\nseven\n") ==
        "# Title\n\none two\n\n- three four\n- five\n1. six seven\n");
  CHECK(flowing("`a` b\n`c`\n\n```\n1\n2\n```\nafter\nit\n") ==
        "`a` b `c`\n\n```\n1\n2\n```\nafter it\n");
  CHECK(flowing("| a |\n|---|\n| b |\ntext\n") == "| a |\n|---|\n| b |\ntext\n");
}

TEST_CASE("The pages in the terminal have no two empty lines in a row") {
  for (const skein::manual::Page& page : skein::manual::pages()) {
    CAPTURE(std::string(page.name));
    if (page.name == "format") continue;
    CHECK(markdown(page, skein::manual::LinkForm::terminal).find("\n\n\n") == std::string::npos);
  }
}

}  // namespace
