#include "repl/screen/markdown/markdown.h"

#include <doctest/doctest.h>

#include <random>

#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "tests/support/markdown_samples.h"

using namespace skein;
using namespace skein::screen::markdown;
using namespace skein::test;

namespace {

constexpr layout::TerminalStyle plain{};
constexpr layout::TerminalStyle spoken{.labels = true};
constexpr layout::TerminalStyle styled{.live = true, .colour = true, .links = true};

std::string rendered(std::string_view text, const layout::TerminalStyle& look,
                     std::size_t width = 0) {
  Markdown markdown(look, width);
  std::string out = markdown.feed(text);
  return out += markdown.end();
}

// <…> instead of escape sequences, so that expectations can be read.
std::string legible(std::string text) {
  const std::pair<std::string_view, std::string_view> names[] = {
      {"\033[m", "</>"},          {"\033[1m", "<b>"},        {"\033[2m", "<dim>"},
      {"\033[3m", "<i>"},         {"\033[4m", "<u>"},        {"\033[9m", "<s>"},
      {"\033[36m", "<code>"},     {"\033[1;35m", "<h>"},     {"\033[1;4;35m", "<h1>"},
      {"\033[35m", "<kw>"},       {"\033[32m", "<green>"},   {"\033[31m", "<red>"},
      {"\033]8;;\033\\", "</a>"}, {"\033]8;;", "<a "},       {"\033\\", ">"},
      {"\033[1;3m", "<bi>"},      {"\033[1;36m", "<bcode>"},
  };
  for (const auto& [from, to] : names)
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("inline marks become styles, and what only looks like a mark stays") {
  struct Row {
    std::string_view source, shown;
  };
  const Row rows[] = {
      {"a **bold** word", "a <b>bold</> word\n"},
      {"*one* and _two_", "<i>one</> and <i>two</>\n"},
      {"***both***!", "<bi>both</>!\n"},
      {"~~gone~~ ~tilde~", "<s>gone</> ~tilde~\n"},
      {"`a*b*c` and ``x`y``", "<code>a*b*c</> and <code>x`y</>\n"},
      {"**with `code` in**", "<b>with </><bcode>code</><b> in</>\n"},
      {"2*3*4, snake_case_name, 2 * 3", "2*3*4, snake_case_name, 2 * 3\n"},
      {"*args and **kwargs", "*args and **kwargs\n"},
      {"**never closed", "**never closed\n"},
      {"`never closed", "`never closed\n"},
      {"\\*not\\* \\a \\", "*not* \\a \\\n"},
      {"**** four", "**** four\n"},
      {"a [link](https://x.org/a) here",
       "a <a https://x.org/a><u>link</a></><dim> (https://x.org/a)</> here\n"},
      {"<https://x.org>", "<a https://x.org><u>https://x.org</a></>\n"},
      {"[run](javascript:alert(1))", "<u>run</><dim> (javascript:alert(1))</>\n"},
      {"[bank](https://bank.com@evil.org)", "<u>bank</><dim> (https://bank.com@evil.org)</>\n"},
      {"a[0] = b[1](c", "a[0] = b[1](c\n"},
      {"a &amp; b &lt;c&gt; &quot;d&#39; `&amp;` &#27;[2J & &am",
       "a & b <c> \"d' <code>&amp;</> &#27;[2J & &am\n"},
      {"![alt](https://x.org/i.png)",
       "<a https://x.org/i.png><u>alt</a></><dim> (https://x.org/i.png)</>\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.source);
    CHECK(legible(rendered(row.source, styled)) == row.shown);
    CHECK(rendered(row.source, plain) == std::string(row.source) + "\n");
  }
}

TEST_CASE("a preview is the text without its marks") {
  CHECK(without_marks("**Both `tests` pass** in [core](core/a.cpp), _see_ 2*3*4 &amp; a_b") ==
        "Both tests pass in core, see 2*3*4 & a_b");
}

TEST_CASE("blocks are told by how their lines begin") {
  struct Row {
    std::string_view source, shown;
  };
  const Row rows[] = {
      {"# One\n## Two ##\n#hash\n", "<h1>One</>\n<h>Two</>\n#hash\n"},
      {"- a\n* b\n  + c\n1. d\n12) e", "• a\n• b\n  • c\n1. d\n12) e\n"},
      {"- [ ] open\n- [x] done\n- [link]", "☐ open\n☑ done\n• [link]\n"},
      {"> said\n> > twice\n>\nnot", "<dim>│</> said\n<dim>│</> <dim>│</> twice\n<dim>│</> \nnot\n"},
      {"--\n-\n**", "--\n-\n**\n"},
      {"\n\na\n\n\nb\n\n", "a\n\nb\n"},
      {"    indented\n- item\n    text", "<code>    indented</>\n• item\n    text\n"},
      {"```cpp\nint x = 1; // **no**\n```\nafter",
       "  <kw>int</> x = <code>1</>; <dim>// **no**</>\nafter\n"},
      {"```one``` line", "<code>one</> line\n"},
      {"~~~\n```\n~~~~\nout", "  ```\nout\n"},
      {"- x:\n  ```sh\n  echo hi\n  ```\n- y", "• x:\n  <kw>echo</> hi\n• y\n"},
      {"- ```\n  a\n\n  b\n  ```\nout", "• a\n\n  b\nout\n"},
      {"1. x:\n   ```\n   a\n   ```", "1. x:\n   a\n"},
      {"```cpp\n```\n    indented", "<code>    indented</>\n"},
      {"> ```\n> code\nout", "<dim>│</>   code\nout\n"},
      {"```diff\n+a\n-b\n c", "  <green>+a</>\n  <red>-b</>\n   c\n"},
      {"| a | b |\n|---|--:|\n| 1 | 22 |\n| **x** |\nend",
       "<b>a</>  <dim> │ </>  <b>b</>\n<dim>────┼────</>\n1  <dim> │ </> 22\n<b>x</>  <dim> │ "
       "</>\nend\n"},
      {"| not a table\nreally", "| not a table\nreally\n"},
      {"| a |\n| b |\n", "| a |\n| b |\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.source);
    CHECK(legible(rendered(row.source, styled)) == row.shown);
  }
  CHECK(legible(rendered("a\n\n***\n", styled, 5)) == "a\n\n<dim>─────</>\n");
}

TEST_CASE("without styles the Markdown itself is shown, with its tables lined up") {
  const std::string_view text =
      "# Title\n\n- **a** `b`\n  - [x] c\n\n> q\n\n```py\n  x = 1\n```\n1. "
      "one\n---\n[l](http://x)\n";
  CHECK(rendered(text, plain) == text);
  CHECK(rendered("| name | n |\n|:-:|-:|\n| long one | 7 |\n", plain) ==
        "|   name   |   n |\n|:--------:|----:|\n| long one |   7 |\n");
}

TEST_CASE("prose breaks between words, with the indent of its block; code only with styles") {
  CHECK(rendered("one two three four", styled, 10) == "one two\nthree four\n");
  CHECK(rendered("- one two three four", styled, 10) == "• one two\n  three\n  four\n");
  CHECK(rendered("> one two three", plain, 10) == "> one two\n> three\n");
  CHECK(legible(rendered("a **b c d e f**", styled, 6)) == "a <b>b c</>\n<b>d e f</>\n");
  CHECK(rendered("abcdefghijklmnopqrst x", styled, 8) == "abcdefghijklmnopqrst x\n");
  CHECK(rendered("```\none two three four\n```", plain, 8) == "```\none two three four\n```\n");
  CHECK(rendered("漢字漢字漢字。", styled, 6) == "漢字漢\n字漢\n字。\n");
}

TEST_CASE("code is indented, its language at the right, and breaks between words with a mark") {
  CHECK(legible(rendered("a\n\n```py x=1\nx = 1\n\ny\n```\n\nb", styled, 20)) ==
        "a\n\n  x = <code>1</>           <dim>py</>\n\n  y\n\nb\n");
  CHECK(rendered("```py\nx + y + zzzzz +\n```", styled, 20) == "  x + y + zzzzz +\n");
  CHECK(rendered("```\none two three four\n```", styled, 14) == "  one two \n  ↪ three four\n");
  CHECK(rendered("```\nabcdefghijkl\n```", styled, 10) == "  abcdef\n  ↪ ghijkl\n");
  CHECK(legible(rendered("```cpp\nx; // one two three\n```", styled, 16)) ==
        "  x; <dim>// one </>\n  ↪ <dim>two three</>\n");
  CHECK(legible(rendered("```diff\n-one two three\n```", styled, 12)) ==
        "  <red>-one </>\n  ↪ <red>two </>\n  ↪ <red>three</>\n");
  CHECK(rendered("```\n\tx\n```", styled, 20) == "      x\n");
  CHECK(rendered("```\n\tx\n```", styled) == "  \tx\n");
  CHECK(rendered("    one two three", styled, 12) ==
        "\033[36m    one \033[m\n↪ \033[36mtwo three\033[m\n");
  const std::string longest(5000, 'x');
  CHECK(rendered("```\n" + longest + "\n```", styled) == "  " + longest + "\n");
}

TEST_CASE("a table that is too wide for the terminal goes over several rows") {
  const std::string shown =
      rendered("| key | meaning |\n|---|---|\n| a | a long text that does not fit |\n", styled, 24);
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t end = shown.find('\n', at);
    CHECK(layout::display_width(layout::without_styles(shown.substr(at, end - at))) <= 24);
    at = end + 1;
  }
  CHECK(layout::without_styles(shown) ==
        "key │ meaning\n────┼───────────────────\na   │ a long text that\n    │ does not fit\n");
  CHECK(legible(rendered("|a|b|\n|-|-|\n|x|**abcdefghijk** y|\n", styled, 12)) ==
        "<b>a</>  <dim> │ </><b>b</>\n<dim>────┼───────</>\n"
        "x  <dim> │ </><b>abcdef</>\n   <dim> │ </><b>ghijk</>\n   <dim> │ </>y\n");
}

TEST_CASE("how a text is cut into pieces does not change a byte") {
  std::mt19937 random(11);
  std::size_t cases = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string text = random_markdown(random);
    for (const layout::TerminalStyle& look : {plain, styled})
      for (const std::size_t width : {std::size_t{0}, std::size_t{24}}) {
        const std::string whole = rendered(text, look, width);
        for (const std::size_t most : {1u, 3u, 40u}) {
          Markdown markdown(look, width);
          layout::Sanitizer door;  // it never gives out half a character
          std::string out;
          for (std::size_t at = 0; at < text.size();) {
            const std::size_t length = most == 1 ? 1 : 1 + random() % most;
            std::string safe;
            door.feed(std::string_view(text).substr(at, length), safe);
            out += markdown.feed(safe);
            at += length;
          }
          out += markdown.end();
          CAPTURE(text);
          REQUIRE(out == whole);
          ++cases;
        }
      }
  }
  CHECK(cases == 4800);
}

TEST_CASE("prose appears word by word and code line by line while it streams") {
  Markdown markdown(styled, 80);
  CHECK(markdown.feed("Hello wor") == "Hello");
  CHECK(markdown.feed("ld and **bo") == " world and");
  CHECK(markdown.feed("ld** x\n```\nco") == " \033[1mbold\033[m x\n");
  CHECK(markdown.feed("de\n``") == "  code\n");
  CHECK(markdown.feed("`\n| a |\n|---|\n") == "");
  CHECK(layout::without_styles(markdown.feed("done")) == "a\n───\n");
  CHECK(markdown.end() == "done\n");
}

TEST_CASE("the line under a link ends with the link") {
  CHECK(legible(rendered("the [docs](https://x.org) say", styled, 60)) ==
        "the <a https://x.org><u>docs</a></> <dim>(https://x.org)</> say\n");
}

TEST_CASE("a screen reader gets the text without marks, in lines that are not wrapped") {
  const std::string words = "some words " + std::string(300, 'x') + " and more of them";
  const std::pair<std::string, std::string> rows[] = {
      {"## A *title* ##", "A title\n"},
      {"a **bold**, ~~old~~ `code` \\*word\\*", "a bold, old code *word*\n"},
      {"2*3*4 and snake_case", "2*3*4 and snake_case\n"},
      {"[here](https://a.example/b) <https://c.example>",
       "here (https://a.example/b) https://c.example\n"},
      {"- one\n  * two\n1. three\n- [x] four\n- [ ] five",
       "• one\n  • two\n1. three\n• done: four\n• to do: five\n"},
      {"> said", "quote: said\n"},
      {"one\n\n---\n\ntwo", "one\n\n\n\ntwo\n"},
      {"```cpp\nint **a; // `b`\n```\nend", "code:\nint **a; // `b`\nend of code\nend\n"},
      {"| **a** | b |\n|---|---|\n| `c` | d |", "a: c, b: d\n"},
      {"| a | `b` |\n|---|---|\n", "a, b\n"},
      {words, words + "\n"},
  };
  for (const auto& [source, shown] : rows) {
    CAPTURE(source);
    CHECK(rendered(source, spoken) == shown);
    Markdown piecewise(spoken);
    std::string out;
    for (const char each : source) out += piecewise.feed(std::string_view(&each, 1));
    CHECK(out + piecewise.end() == shown);
  }
}
