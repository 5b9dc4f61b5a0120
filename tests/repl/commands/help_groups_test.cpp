#include <doctest/doctest.h>

#include "core/permission/policy.h"
#include "repl/layout/flow.h"
#include "repl/session/session.h"

using namespace skein;

TEST_CASE("the prompt says in which mode it is, and in red if everything runs unasked") {
  using permission::Mode;
  const layout::TerminalStyle coloured{.live = true, .colour = true}, reader{.labels = true};
  CHECK(session::prompt_text(Mode::normal, {}) == "› ");
  CHECK(session::prompt_text(Mode::plan, {}) == "plan › ");
  CHECK(session::prompt_text(Mode::accept_edits, {}) == "edits › ");
  CHECK(session::prompt_text(Mode::bypass, coloured) == "\033[1;31myolo › \033[m");
  CHECK(session::prompt_text(Mode::normal, reader) == "you: ");
  CHECK(session::prompt_text(Mode::plan, reader) == "you (plan): ");
}

TEST_CASE("text that hangs behind a column stays there on every row") {
  CHECK(layout::hanging("one two three", 4, 11) == "one two\n    three");
  CHECK(layout::hanging("one two three", 4, 0) == "one two three");
}
