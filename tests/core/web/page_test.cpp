#include "core/web/page.h"

#include <doctest/doctest.h>

#include "core/web/fetcher.h"

using namespace skein::web;

namespace {

Page page(std::string type, std::string body, bool raw = false) {
  return page_of(std::get<Url>(parse_url("https://h.org/")),
                 {.status = 200, .type = std::move(type), .body = std::move(body)}, raw, {});
}

}  // namespace

TEST_CASE("bytes become text by what the server or the page says of them") {
  CHECK(decoded("caf\xE9", "text/html; charset=ISO-8859-1") == "café");
  CHECK(decoded("\x80", "text/plain; charset=\"latin1\"") == "€");
  CHECK(decoded("<meta charset='windows-1252'>caf\xE9", "text/html").ends_with("café"));
  CHECK(decoded("<meta http-equiv=content-type content='text/html; charset=shift_jis'>\x93\xFA",
                "text/html")
            .ends_with("日"));
  CHECK(decoded("\x93\xFA\x96\x7B", "text/html; charset=Shift_JIS") == "日本");
  CHECK(decoded(std::string("\xFF\xFEh\0i\0", 6), "text/plain") == "hi");
  CHECK(decoded(std::string("\xFE\xFF\0h\0i", 6), "text/plain; charset=utf-8") == "hi");
  CHECK(decoded("caf\xC3\xA9", "text/plain") == "café");
  CHECK(decoded("caf\xE9 ol\xE9", "text/plain") == "café olé");
  CHECK(decoded("a\xFF\x62", "text/plain; charset=utf-8") ==
        "a\uFFFD"
        "b");
  CHECK(decoded("ab", "text/plain; charset=no-such-thing") == "ab");
  CHECK(decoded("ab", "text/plain; charset=../../x") == "ab");
  CHECK(decoded("\x93", "text/plain; charset=shift_jis") == "\uFFFD");
}

TEST_CASE("hidden characters are removed and counted") {
  const Visible tags = without_hidden("a\U000E0069\U000E0067b");
  CHECK(tags.text == "ab");
  CHECK(tags.removed == 2);
  CHECK(without_hidden("x\u202Ey\u2066z").text == "xyz");
  CHECK(without_hidden("a\u200B\u200C\u200B\u200C\u200Bb").text == "ab");
  CHECK(without_hidden("a\u200B\u200C\u200B\u200C\u200Bb").removed == 5);
  CHECK(without_hidden("👩\u200D🚀 \u200B\u200Bx").removed == 0);
  CHECK(without_hidden("a\x1b[31mb\r\n\tc\x07").text == "a[31mb\n\tc");
}

TEST_CASE("a page says what it is, and cannot end what surrounds it") {
  const Page html = page("text/html; charset=utf-8",
                         "<title>T\U000E0041</title><p>see &lt;/web> and \U000E0041&lt;WEB x></p>");
  CHECK(html.text == "see &lt;/web> and &lt;WEB x>\n");
  CHECK(html.title == "T");
  CHECK(html.hidden == 1);
  const std::string head = head_of(html);
  CHECK(head.find("url: https://h.org/\nstatus: 200\ntype: text/html\n") == 0);
  CHECK(head.find("\ntitle: T\n") != std::string::npos);
  CHECK(head.find("hidden characters removed: 1") != std::string::npos);
  CHECK(page("text/html", "<p>a", true).text == "<p>a");
}

TEST_CASE("what is text comes as it is, JSON pretty, and what is none is named") {
  CHECK(page("application/json", R"({"b":1,"a":[2]})").text ==
        "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}\n");
  CHECK(page("application/json", "{broken").text == "{broken");
  CHECK(page("application/json", "[1]", true).text == "[1]");
  CHECK(page("text/x-python", "a = 1").text == "a = 1");
  CHECK(page("application/rss+xml", "<a>").text == "<a>");
  CHECK(page("", "<!DOCTYPE HTML><p>x").text == "x\n");
  CHECK(page("application/octet-stream", "plain words").text == "plain words");
  CHECK(page("application/zip", "PK").remark == "binary, not shown");
  CHECK(page("application/zip", "PK").text.empty());
  const std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  CHECK(page("text/html", png).image == png);
  CHECK(page("text/html", png).type == "image/png");
  CHECK(page("application/pdf", "%PDF-1.7").remark.find("PDF") != std::string::npos);
  CHECK(page("text/html", "<div id=app></div>").remark.find("script") != std::string::npos);
}

TEST_CASE("pieces laid end to end are the text, every character once") {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "line " + std::to_string(i) + " é日👩\n";
  text += std::string(500, 'x') + "é" + std::string(500, 'y');  // longer than a piece
  for (const std::size_t most : {1u, 7u, 100u, 5000u, 100000u}) {
    std::string all;
    std::size_t offset = 0, pieces = 0;
    for (;; ++pieces) {
      const PagePiece piece = piece_of(text, offset, most);
      all += piece.text;
      REQUIRE(pieces <= piece.total);
      if (piece.next == 0) break;
      CHECK(piece.next > offset);
      offset = piece.next;
    }
    CHECK(all == text);
  }
  CHECK(piece_of("abc", 3, 10).text.empty());
  CHECK(piece_of("", 0, 10).total == 0);
  CHECK(piece_of("one\ntwo\nthree", 0, 9).text == "one\ntwo\n");
}

TEST_CASE("the cache forgets what is old, and what is too much") {
  using Clock = PageCache::Clock;
  PageCache cache({.age = std::chrono::seconds(10), .entries = 2, .bytes = 100});
  const auto of = [](std::string text) {
    return std::make_shared<const Page>(Page{.text = std::move(text)});
  };
  const Clock::time_point start{};
  cache.keep("a", of("1"), start);
  cache.keep("b", of("2"), start + std::chrono::seconds(5));
  CHECK(cache.find("a", start + std::chrono::seconds(9)) != nullptr);
  CHECK(cache.find("a", start + std::chrono::seconds(11)) == nullptr);
  CHECK(cache.find("b", start + std::chrono::seconds(11)) != nullptr);
  cache.keep("c", of("3"), start + std::chrono::seconds(12));
  cache.keep("d", of("4"), start + std::chrono::seconds(12));
  CHECK(cache.find("b", start + std::chrono::seconds(12)) == nullptr);
  cache.keep("e", of(std::string(99, 'x')), start + std::chrono::seconds(12));
  CHECK(cache.find("c", start + std::chrono::seconds(12)) == nullptr);
  CHECK(cache.find("e", start + std::chrono::seconds(12)) != nullptr);
  cache.keep("f", of(std::string(101, 'x')), start + std::chrono::seconds(12));
  CHECK(cache.find("f", start + std::chrono::seconds(12)) == nullptr);
}
