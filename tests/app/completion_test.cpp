#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/completion/candidates.h"

using namespace skein;
using namespace skein::completion;
using Words = std::vector<std::string>;
using What = TypedLine::What;

namespace {

bool offers(const Words& words, std::string_view text) {
  const Candidates found = candidates_for(read_typed_line(words));
  return std::ranges::find(found.all, text, &Candidate::text) != found.all.end();
}

}  // namespace

TEST_CASE("what is typed is an option, its value, a subcommand, an argument or a prompt") {
  struct {
    Words words;
    What what;
    std::string_view path, option, value, before, given;
  } const cases[] = {
      {{""}, What::word, "", "", "", "", ""},
      {{"sess"}, What::word, "", "", "", "", "sess"},
      {{"sessions", "show", ""}, What::word, "sessions show", "", "KEY", "", ""},
      {{"sessions", "show", "--e"}, What::option, "sessions show", "", "", "", "--e"},
      {{"--color", "al"}, What::value, "", "--color", "{auto|always|never}", "", "al"},
      {{"--session=main"}, What::value, "", "--session", "KEY", "--session=", "main"},
      {{"-smain"}, What::option, "", "", "", "", "-smain"},
      {{"-s", "main"}, What::value, "", "--session", "KEY", "", "main"},
      {{"-qs", "main"}, What::value, "", "--session", "KEY", "", "main"},
      {{"redact", "main:x", ""}, What::word, "redact", "", "ENTRY", "", ""},
      {{"fix", "the"}, What::prompt, "", "", "", "", "the"},
      {{"--", "sessions"}, What::prompt, "", "", "", "", "sessions"},
      {{"-r", "--qu"}, What::option, "", "", "", "", "--qu"},
  };
  for (const auto& each : cases) {
    const TypedLine line = read_typed_line(each.words);
    CAPTURE(each.words.back());
    CHECK(line.what == each.what);
    CHECK(line.path == each.path);
    CHECK(line.option == each.option);
    CHECK(line.before == each.before);
    CHECK(line.given == each.given);
    if (!each.value.starts_with('{')) CHECK(line.value == each.value);
  }
}

TEST_CASE("a home and a workspace on the line are the ones to look in") {
  const TypedLine line = read_typed_line(Words{"--home", "/h", "-C", "/w", "-s", ""});
  CHECK(line.invocation.home == "/h");
  CHECK(line.invocation.workspace == "/w");
  CHECK(read_typed_line(Words{"--home=/x", "-s", ""}).invocation.home == "/x");
}

TEST_CASE("an argument is known by its place, the last one as often as it may be repeated") {
  CHECK(argument_word("KEY TITLE", 0) == "KEY");
  CHECK(argument_word("KEY TITLE", 1) == "TITLE");
  CHECK(argument_word("KEY TITLE", 2).empty());
  CHECK(argument_word("[KEY…]", 5) == "KEY");
  CHECK(argument_word("", 0).empty());
}

TEST_CASE("names come from the tables, and hidden ones are not offered") {
  CHECK(offers({"sess"}, "sessions"));
  CHECK(offers({"sessions", "sh"}, "show"));
  CHECK(offers({"--output-format", ""}, "stream-json"));
  CHECK(offers({"--color="}, "--color=never"));
  CHECK(offers({"config", "get", "max"}, "max-turns"));
  CHECK_FALSE(offers({"config", "get", "keep"}, "keep-deltas"));
  CHECK_FALSE(offers({"_"}, "__complete"));
  CHECK_FALSE(offers({"b"}, "bench"));
  CHECK(candidates_for(read_typed_line(Words{"-C", ""})).shell == Candidates::Shell::folders);
}

TEST_CASE("a line of bash is taken apart as bash would") {
  const BashLine plain = read_bash_line("skein  -s main:a");
  CHECK(plain.words == Words{"skein", "-s", "main:a"});
  CHECK(plain.open_quote == 0);
  const BashLine quoted = read_bash_line(R"(skein -s 'it is' "a \"b\" \c" d\ e 'op en)");
  CHECK(quoted.words == Words{"skein", "-s", "it is", R"(a "b" \c)", "d e", "op en"});
  CHECK(quoted.open_quote == '\'');
  CHECK(quoted.last_as_typed == "'op en");
  CHECK(read_bash_line("skein ").words == Words{"skein", ""});
  CHECK(read_bash_line("").words == Words{""});
  CHECK(read_bash_line("a\\").words == Words{"a\\"});
}

TEST_CASE("what is offered to bash is read by it as the very text") {
  for (const std::string text : {"plain", "it's $HOME", "a b`c`", "tab\there", "\"x\" \\ y", "ä ö"})
    for (const char quote : {'\0', '\'', '"'}) {
      CAPTURE(text);
      const auto quoted = quoted_for_bash(text, quote);
      REQUIRE(quoted);
      const std::string line =
          "skein " + (quote == 0 ? *quoted : quote + *quoted + std::string(1, quote));
      CHECK(read_bash_line(line).words == Words{"skein", text});
    }
  CHECK_FALSE(quoted_for_bash("hi!", '"'));
}

TEST_CASE("bash replaces only what follows the last colon") {
  const BashLine line = read_bash_line("skein -s main:c");
  CHECK(part_bash_replaces(line, "c", "main:cli:user") == "cli:user");
  CHECK_FALSE(part_bash_replaces(line, "c", "other:cli:user"));
  CHECK(part_bash_replaces(read_bash_line("skein -s 'main:c"), "c", "main:cli") == "main:cli");
}
