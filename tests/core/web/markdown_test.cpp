#include "core/web/page.h"

#include <doctest/doctest.h>

#include <ctime>

#include "core/web/html.h"

using namespace skein::web;

namespace {

std::string made(std::string_view html) {
  return to_markdown(html, std::get<Url>(parse_url("https://h.org/dir/page"))).text;
}

std::string repeated(std::string_view piece, std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) out += piece;
  return out;
}

}  // namespace

TEST_CASE("headings, paragraphs, emphasis and links") {
  CHECK(made("<h2>A  title</h2><p>One <b>bold</b> and <em>soft </em>word,\n <a href='../x'>a "
             "link</a>.<p>Two<br>lines") ==
        "## A title\n\nOne **bold** and *soft* word, [a link](https://h.org/x).\n\nTwo\nlines\n");
  CHECK(made("<a href='/x'><h3>Card</h3><p>text</p></a>") ==
        "### [Card](https://h.org/x)\n\n[text](https://h.org/x)\n");
  CHECK(made("<a href='javascript:x'>y</a> <img src=z alt='a cat'> <b><b>n</b></b>") ==
        "y ![a cat] **n**\n");
  CHECK(made("a<hr>b") == "a\n\n---\n\nb\n");
}

TEST_CASE("lists nest, count and hold paragraphs") {
  CHECK(made("x<ul><li>a<li>b<ol><li>c</li><li>d</ol></ul>y") ==
        "x\n\n- a\n- b\n  1. c\n  2. d\n\ny\n");
  CHECK(made("<ul><li><p>a</p><p>b</p></li></ul>") == "- a\n\n  b\n");
  CHECK(made("<blockquote><p>q</p><ul><li>a</ul></blockquote>z") == "> q\n>\n> - a\n\nz\n");
  CHECK(made("<dl><dt>term<dd>meaning</dl>") == "term\n\n: meaning\n");
}

TEST_CASE("code keeps its lines, and says its language") {
  CHECK(made("<pre><code class='x language-cpp'>\nint a;\n\n  b &lt; c;\n</code></pre>") ==
        "```cpp\nint a;\n\n  b < c;\n```\n");
  CHECK(made("<pre>a ``` b</pre>") == "````\na ``` b\n````\n");
  CHECK(made("use <code>x  y</code> here") == "use `x y` here\n");
  CHECK(made("<pre><div>a</div><div>b</div></pre>") == "```\na\nb\n```\n");
}

TEST_CASE("tables are pipe tables, unless they only arrange things") {
  CHECK(made("<table><tr><th>a<th>b<tr><td>1|2<td><p>x</p><p>y</p></table>") ==
        "| a | b |\n| --- | --- |\n| 1\\|2 | x y |\n");
  const std::string arranged =
      made("<table><tr><td>menu<td><table><tr><td>a<td>b</table><p>text</table>end");
  CHECK(arranged.find("menu\n") != std::string::npos);
  CHECK(arranged.find("| a | b |") != std::string::npos);
  CHECK(arranged.find("text") != std::string::npos);
  CHECK(arranged.ends_with("end\n"));
}

TEST_CASE("what a reader of the page does not see is not there") {
  for (const char* hidden :
       {"<script>no</script>", "<style>no</style>", "<template>no</template>",
        "<svg><text>no</svg>", "<noscript>no</noscript>", "<iframe>no</iframe>",
        "<div hidden>no</div>", "<p aria-hidden=TRUE>no</p>",
        "<span style='color:red; Display : None'>no</span>",
        "<div style='visibility:hidden'><p>no</p></div>", "<!-- no -->", "<!-- no",
        "<x-card hidden>no</x-card>", "<script>x</scrip></script >", "<textarea>no</textarea>"}) {
    CAPTURE(hidden);
    const std::string text = made("<p>yes</p>" + std::string(hidden));
    CHECK(text.find("no") == std::string::npos);
    CHECK(text.find("yes") == 0);
  }
  CHECK(made("<div><span hidden>no</span>yes</div>") == "yes\n");
}

TEST_CASE("furniture goes, but never everything") {
  const std::string words = repeated("word ", 600);
  CHECK(made("<header>h</header><nav>n</nav><p>" + words + "</p><aside>s</aside><footer>f</footer>")
            .size() == 600);
  const std::string article =
      made("<nav>n</nav>before<article><header><h1>T</h1></header><p>" + words + "</article>after");
  CHECK(article.starts_with("# T\n\nword"));
  CHECK(article.find("after") == std::string::npos);
  CHECK(made("before<main><p>" + words + "</main>after").find("before") == std::string::npos);
  CHECK(made("before<main><p>short</main>after").find("before") == 0);
  CHECK(made("<form><p>all there is</p></form>") == "all there is\n");
}

TEST_CASE("the title and the date are found") {
  const MarkdownPage page = to_markdown(
      "<head><title> A &amp; B\n</title><meta property='article:published_time' "
      "content='2026-11-01'></head><svg><title>no</title></svg>x",
      std::get<Url>(parse_url("https://h.org/")));
  CHECK(page.title == "A & B");
  CHECK(page.date == "2026-11-01");
}

TEST_CASE("entities are characters; what is none stays") {
  CHECK(without_entities("&lt;&amp;&eacute;&#233;&#xE9;&#128;&mdash;&apos;") == "<&ééé€—'");
  CHECK(without_entities("&unknown; & &; &#; &#x; &amp") == "&unknown; & &; &#; &#x; &amp");
  CHECK(without_entities("&#0;&#xD800;&#99999999;") == "\uFFFD\uFFFD\uFFFD");
}

TEST_CASE("whatever the bytes are, it ends soon and stays in proportion") {
  constexpr std::size_t size = 1 << 20;
  const std::string deep = repeated("<b>", 1600);
  for (const std::string& html :
       {repeated("<div>", size), repeated("</div>", size), repeated("<", size),
        repeated("<a href=x>", size), repeated("<!--", size), repeated("<table><tr><td>", size),
        repeated("<ul><li>x", size), repeated("<blockquote>x<br>", size), repeated("&", size),
        repeated("<p>x", size), deep + repeated("x<p>", size), repeated("<script>", size),
        repeated("<a b='", size), repeated("<td>x", size),
        "<table>" + repeated("<a href=.>x</a><td>", size), repeated("<title>x", size),
        std::string(size, '\0'), repeated("</script>", size)}) {
    CAPTURE(html.substr(0, 20));
    const std::clock_t began = std::clock();  // of the processor, which others use too
    CHECK(made(html).size() <= 5 * html.size());
    CHECK(std::clock() - began < 20 * CLOCKS_PER_SEC);  // 1 s where nothing is instrumented
  }
  CHECK(made("<p>a<div>b<b>c") == "a\n\nb**c**\n");
  CHECK(made(repeated("<section>", 9 * 600) + "deep<p hidden>no</p>").find("deep") == 0);
  CHECK(made(repeated("<section>", 9 * 600) + "deep<p hidden>no</p>").find("no") ==
        std::string::npos);
}
