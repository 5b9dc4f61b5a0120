#include "repl/screen/markdown/highlight.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/support/markdown_samples.h"

using namespace skein;
using namespace skein::screen::markdown;

namespace {

constexpr layout::TerminalStyle styled{.colour = true};

// k: keyword, s: string, n: number, c: comment; around what it colours.
std::string marked(std::string_view language, std::string_view text) {
  Highlighter colours(language);
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += colours.line(text.substr(0, end), styled);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const std::pair<std::string_view, std::string_view> names[] = {
      {"\033[35m", "{k "}, {"\033[32m", "{s "}, {"\033[36m", "{n "}, {"\033[2m", "{c "},
      {"\033[31m", "{r "}, {"\033[1m", "{b "},  {"\033[m", "}"},
  };
  for (const auto& [from, to] : names)
    for (std::size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size())
      out.replace(at, from.size(), to);
  return out;
}

}  // namespace

TEST_CASE("comments, strings, numbers and keywords of a dozen languages have their colours") {
  struct Row {
    std::string_view language, code, shown;
  };
  const Row rows[] = {
      {"cpp", "#include <x>\nint a = 0x1F; /* b\nc */ d // e",
       "{k #include} <x>\n{k int} a = {n 0x1F}; {c /* b}\n{c c */} d {c // e}"},
      {"python", "def f(x): # c\n  \"\"\"doc\n  end\"\"\" + 'a\\'b'",
       "{k def} f(x): {c # c}\n  {s \"\"\"doc}\n{s   end\"\"\"} + {s 'a\\'b'}"},
      {"ts", "const x = `a\nb` as any", "{k const} x = {s `a}\n{s b`} {k as} {k any}"},
      {"sh", "a=eu-central-1 b_1 x86-64 3-2", "a=eu-central-1 b_1 x86-64 {n 3}-{n 2}"},
      {"rust", "fn f<'a>(x: &'a str) {}", "{k fn} f<'a>(x: &'a {k str}) {}"},
      {"go", "func main() { return }", "{k func} main() { {k return} }"},
      {"java", "public int x = 1;", "{k public} {k int} x = {n 1};"},
      {"bash", "echo \"$x\" # say", "{k echo} {s \"$x\"} {c # say}"},
      {"ruby", "def x; nil; end", "{k def} x; {k nil}; {k end}"},
      {"lua", "--[[ a\nb ]] local x -- c", "{c --[[ a}\n{c b ]]} {k local} x {c -- c}"},
      {"SQL", "SELECT a from t -- c", "{k SELECT} a {k from} t {c -- c}"},
      {"json", "{\"a\": true, \"b\": 12}", "{{s \"a\"}: {k true}, {s \"b\"}: {n 12}}"},
      {"yaml", "a-b: yes # c\n- d: 1", "{k a-b}: {k yes} {c # c}\n- {k d}: {n 1}"},
      {"html", "<p class=\"x\">a</p><!-- c -->", "{k <p} class={s \"x\"}>a{k </p}>{c <!-- c -->}"},
      {"css", "color: red;", "{k color}: red;"},
      {"cmake", "SET(x \"y\")", "{k SET}(x {s \"y\"})"},
      {"diff", "--- a\n+++ b\n@@ 1 @@\n-x\n+y\n z",
       "{b --- a}\n{b +++ b}\n{n @@ 1 @@}\n{r -x}\n{s +y}\n z"},
      {"klingon", "if x // y", "if x // y"},
      {"", "if x // y", "if x // y"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.language);
    CHECK(marked(row.language, row.code) == row.shown);
  }
}

TEST_CASE("colours change no character of any code") {
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i)
    for (const std::string_view language : {"cpp", "python", "ts", "lua", "html", "yaml", "sql"}) {
      Highlighter colours(language);
      std::string text = test::random_markdown(random) + "x", shown;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        shown += colours.line(std::string_view(text).substr(at, end - at), styled) + "\n";
        at = end + 1;
      }
      if (!text.ends_with('\n')) text += '\n';
      REQUIRE(layout::without_styles(shown) == text);
    }
}
