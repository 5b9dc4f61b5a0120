#include "core/export/html.h"

#include <doctest/doctest.h>

#include "core/model/entry.h"
#include "core/model/payloads.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "tests/support/exported_sample.h"

using namespace skein;
using namespace skein::exporters;
using skein::test::sample_talk;
using skein::test::SampleSession;
using skein::test::written;

namespace {

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; ++at) ++found;
  return found;
}

}  // namespace

TEST_CASE("the page has nothing that leads elsewhere") {
  const SampleSession talk = sample_talk();
  const std::string page = written("html", talk.exported());
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.find("default-src 'none'; style-src 'sha256-") != std::string::npos);
  CHECK(page.find("unsafe-") == std::string::npos);
  CHECK(count(page, " src=\"") == 1);  // the image, where there is no script
  CHECK(page.find("src=\"data:image/png;base64,") != std::string::npos);
  CHECK(page.find("<link") == std::string::npos);
  CHECK(page.find("@import") == std::string::npos);
  CHECK(page.find("<h1>a &lt;b&gt; &amp; c</h1>") != std::string::npos);
  CHECK(page.find("connect-src") == std::string::npos);
  std::string live;
  write_live_html(talk.exported(), [&](std::string_view piece) { live += piece; });
  CHECK(live.find("connect-src 'self'") != std::string::npos);
}

TEST_CASE("no text of a transcript is markup on the page") {
  const SampleSession clean = sample_talk();
  const std::string before = written("html", clean.exported());
  SampleSession session = sample_talk();
  const std::string hostile =
      "</script><script>alert(1)</script><img src=x onerror=alert(1)><!--<script></noscript>"
      "<b>\"'&]]>\xE2\x80\xA8";
  session.add(model::user_message(hostile));
  session.add({.role = model::Role::assistant,
               .content = {model::Text{hostile}, model::Thinking{hostile},
                           model::ToolUse{hostile, hostile, json_string(hostile)}},
               .model = hostile,
               .error = hostile});
  session.add(
      {.role = model::Role::tool,
       .content = {model::ToolResult{.tool_use_id = hostile, .content = {model::Text{hostile}}}}});
  session.add(model::make_entry(model::payload::Label{session.entries[0].id, hostile}));
  ExportedSession exported = session.exported();
  exported.title = exported.key = exported.cwd = exported.usage = exported.seal = hostile;
  exported.models = {hostile};
  const std::string page = written("html", exported);
  for (const std::string_view tag : {"<script", "</script", "<img", "<!--", "<b>", "</noscript"}) {
    CAPTURE(tag);
    CHECK(count(page, tag) == count(before, tag));
  }
}

TEST_CASE("what the script is given says what was said") {
  const SampleSession talk = sample_talk();
  const ExportedSession session = talk.exported();
  const auto entry = [&](std::size_t i) {
    const auto text = page_entry(session, talk.entries[i]);
    REQUIRE(text);
    CHECK(text->find('<') == std::string::npos);
    return *parse_json(*text);
  };
  CHECK(entry(0)["t"] == "note");
  CHECK(entry(0)["l"] == "be brief");
  CHECK(entry(1)["b"][0] == Json{"t", "what is in <a>?"});
  CHECK(entry(1)["b"][1][1] == "data:image/png;base64," + base64(test::tiny_png));
  CHECK(entry(2)["b"][3] == Json::array({"c", "c1", "read", Json{{"path", "a"}}}));
  CHECK(entry(2)["m"] == "claude");
  CHECK(entry(4)["b"][0] == Json::array({"r", "c2", true, "all of it\n", Json::array()}));
  CHECK(entry(5)["x"] == 1);
  CHECK(entry(5)["n"] == "google/gemini");
  // Where the head went is nobody's business.
  CHECK_FALSE(page_entry(session, model::make_entry(model::payload::Head{Id{1}})));
}

TEST_CASE("only what is an image by its bytes is one on the page") {
  SampleSession session;
  session.blobs["evil"] = "<svg onload=alert(1)>";
  model::Message message = model::user_message("");
  message.content = {model::Image{"image/svg+xml", "evil"}};
  session.add(message);
  const std::string page = written("html", session.exported());
  CHECK(page.find("svg+xml") == std::string::npos);
}

TEST_CASE("the script and the style are ours and whole") {
  CHECK(page_script.find("</script") == std::string_view::npos);
  CHECK(page_script.find("innerHTML") == std::string_view::npos);
  CHECK(page_script.find("document.write") == std::string_view::npos);
  CHECK(page_script.find("readModel") != std::string_view::npos);
  CHECK(page_style.find("prefers-color-scheme: dark") != std::string_view::npos);
  CHECK(page_style.find("url(") == std::string_view::npos);
}

TEST_CASE("what was asked outside the conversation is a note on the page") {
  SampleSession talk;
  talk.add(model::user_message("hello"));
  const model::Entry& aside = talk.add(model::aside_entry(
      {.question = "why?", .answer = "because", .provider = "acme", .model = "m"}));
  const auto entry = page_entry(talk.exported(), aside);
  REQUIRE(entry);
  CHECK(entry->find(R"("n":"side question: why?","l":"because")") != std::string::npos);
}
