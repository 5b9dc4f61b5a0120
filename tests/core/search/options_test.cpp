#include "core/search/options.h"

#include <doctest/doctest.h>

#include <filesystem>

using namespace skein;
using namespace skein::search;

namespace {

std::string words_of(std::string_view typed, Options& out) {
  return take_options(typed, "/w/project", out);
}

std::string complaint(std::string_view typed) {
  Options out;
  try {
    words_of(typed, out);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("what narrows a search down may stand before, between and behind its words") {
  Options out;
  CHECK(words_of("--role user fix the --tool=bash lexer --since 2026-11-01", out) ==
        "fix the lexer");
  CHECK(out.filter.role == Role::user);
  CHECK(out.filter.tool == "bash");
  CHECK(out.filter.since == "2026-11-01T00:00:00.000Z");
  CHECK(out.session.empty());

  out = {};
  CHECK(words_of("--session \"my title\" --model opus --errors --fold --limit 5 x", out) == "x");
  CHECK(out.session == "my title");
  CHECK(out.filter.model == "opus");
  CHECK(out.filter.errors);
  CHECK(out.accents == Accents::dropped);
  CHECK(out.limit == 5);
}

TEST_CASE("words keep what they are made of") {
  Options out;
  CHECK(words_of("\"a --role b\" -without re:x--y path:src", out) ==
        "\"a --role b\" -without re:x--y path:src");
  CHECK(words_of("-- --role user", out) == " --role user");
  CHECK(words_of("say \"a \\\" --tool\" on", out) == "say \"a \\\" --tool\" on");
  CHECK_FALSE(out.filter.role);
  CHECK(words_of("", out).empty());
}

TEST_CASE("a folder is meant from the workspace") {
  Options out;
  words_of("--cwd . x", out);
  CHECK(out.filter.cwd == "/w/project");
  words_of("--cwd ../other/ x", out);
  CHECK(out.filter.cwd == "/w/other");
  words_of("--cwd /abs x", out);
  CHECK(out.filter.cwd == "/abs");
}

TEST_CASE("what is not understood is said, with what would be") {
  CHECK(complaint("--roll user x").find("a search has no --roll; it takes --session, --cwd") == 0);
  CHECK(complaint("--role robot x") ==
        "--role takes user, assistant, tool or thinking, not 'robot'");
  CHECK(complaint("--since soon x") == "--since: 'soon' is not a time; write 7d or 2026-11-01");
  CHECK(complaint("x --role") ==
        "--role needs a value: user|assistant|tool|thinking (only texts of this kind)");
  CHECK(complaint("--limit 0 x") == "--limit takes a whole number from 1 to 100000, not '0'");
}
