#include "core/search/matcher.h"

#include <doctest/doctest.h>

using namespace skein::search;

namespace {

// With what fits in brackets.
std::string marked(std::string_view text, std::string_view query, std::size_t characters = 160) {
  const Snippet snippet = snippet_of(text, parse_query(query), characters);
  std::string out;
  std::size_t count = 0;
  const auto begins = [&](std::size_t at) {
    for (const auto& [begin, end] : snippet.offsets) {
      if (end == at) out += "]";
      if (begin == at) out += "[";
    }
  };
  for (const char c : snippet.text) {
    if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) begins(count++);
    out += c;
  }
  begins(count);
  return out;
}

}  // namespace

TEST_CASE("a snippet marks what fits, on one line") {
  CHECK(marked("the Quick\n brown fox", "quick fox") == "the [Quick] brown [fox]");
  CHECK(marked("这是中文文本", "中文") == "这是[中文]文本");
  CHECK(marked("cafe\xCC\x81 noir", "café") == "[cafe\xCC\x81] noir");
  CHECK(marked("say one\ntwo", "\"one two\"") == "say [one two]");
  CHECK(marked("abc 123 def", "re:[0-9]+") == "abc [123] def");
}

TEST_CASE("a snippet of a long text is a part of it, around what fits") {
  const std::string text = std::string(400, 'a') + " needle " + std::string(400, 'b');
  const std::string shown = marked(text, "needle", 60);
  CHECK(shown.starts_with("…"));
  CHECK(shown.ends_with("…"));
  CHECK(shown.find("[needle]") != std::string::npos);
  CHECK(snippet_of(text, parse_query("needle"), 60).text.size() < 70);
}

TEST_CASE("where the words stand together is shown before where one stands alone") {
  const std::string text = "red " + std::string(400, 'x') + " red and blue";
  CHECK(marked(text, "red blue", 40).find("[red] and [blue]") != std::string::npos);
}

TEST_CASE("what is found far down in a very long text is shown") {
  const std::string text = std::string(3u << 20, 'x') + " needle";
  CHECK(marked(text, "needle").find("[needle]") != std::string::npos);
}
