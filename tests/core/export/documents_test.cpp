// Markdown, text, JSON and JSON lines.
#include <doctest/doctest.h>

#include "core/export/formats.h"
#include "core/model/entry.h"
#include "core/store/entry_text.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "tests/support/exported_sample.h"

using namespace skein;
using namespace skein::exporters;
using skein::test::sample_talk;
using skein::test::SampleSession;
using skein::test::written;

TEST_CASE("a conversation reads as a Markdown document that knows its entries") {
  const SampleSession talk = sample_talk();
  CHECK(
      written("markdown", talk.exported()) ==
      "---\nskein: 1\nkey: \"main:cli:user\"\nsession: \"0000000000000007\"\n"
      "title: \"a <b> & c\"\ncwd: \"/w\"\ncreated: \"2026-01-02T03:04:05.678Z\"\n"
      "models: [\"anthropic/claude\"]\nhead: \"000000070000abcd\"\nusage: \"1 message\"\n---\n\n"
      "# a &lt;b> &amp; c\n\n"
      "<!-- entry 000000020000abcd after 000000010000abcd -->\n\n"
      "## You\n\nwhat is in <a>?\n\n![an image](data:image/png;base64," +
          base64(test::tiny_png) +
          ")\n\n<!-- entry 000000030000abcd after 000000020000abcd -->\n\n"
          "## claude\n\n<details><summary>thinking</summary>\n\n```text\nhm\n```\n\n</details>\n\n"
          "<details><summary>thinking</summary>\n\n```text\nunsigned\n```\n\n</details>\n\n"
          "I look.\n\n**→ read**\n\n```json\n{\"path\":\"a\"}\n```\n\n"
          "**→ bash**\n\n```json\n{\"command\":\"ls\"}\n```\n\n"
          "<!-- entry 000000040000abcd after 000000030000abcd -->\n\n"
          "<details><summary>result</summary>\n\n````text\nx ``` y\n````\n\n</details>\n\n"
          "<!-- entry 000000050000abcd after 000000040000abcd -->\n\n"
          "<details><summary>result: an error</summary>\n\n```text\nall of it\n```\n\n</details>\n"
          "\n<!-- entry 000000070000abcd after 000000050000abcd -->\n\n## gemini\n\nNothing.\n");
}

TEST_CASE("a text that looks like the mark of an entry is told apart from it") {
  SampleSession session;
  session.add(model::user_message("<!-- entry 00 -->"));
  const std::string text = written("markdown", session.exported());
  CHECK(text.find("\n<\\!-- entry 00 -->\n") != std::string::npos);
}

TEST_CASE("a plain transcript indents what was said") {
  const SampleSession talk = sample_talk();
  const std::string text = written("text", talk.exported());
  CHECK(text.find("--- you · 2027-01-15T08:00:00.001Z\n  what is in <a>?\n") != std::string::npos);
  CHECK(text.find("  -> read {\"path\":\"a\"}\n") != std::string::npos);
  CHECK(text.find("  <- error: all of it\n") != std::string::npos);
}

TEST_CASE("exported lines can be appended again, and are the same entries") {
  SampleSession talk = sample_talk();
  ExportedSession session = talk.exported();
  session.whole_tree = true;
  const std::string lines = written("jsonl", session);
  std::vector<model::Entry> back;
  for (const std::string_view line : split(lines, '\n')) {
    const auto taken = store::new_entry_from_json(line);
    REQUIRE(bool(taken));
    back.push_back(taken->entry);
  }
  CHECK(back == talk.entries);
  // Of a path only what is on it.
  session.whole_tree = false;
  const std::string path = written("jsonl", session);
  CHECK(split(path, '\n').size() == talk.entries.size() - 1);
}

TEST_CASE("JSON is one object with session, entries and leaves") {
  const SampleSession talk = sample_talk();
  const auto json = parse_json(written("json", talk.exported()));
  REQUIRE(json);
  CHECK(string_at(at(*json, "session"), "title") == "a <b> & c");
  CHECK(at(*json, "entries").size() == 6);
  CHECK(at(*json, "leaves")[0] == "000000070000abcd");
  CHECK(parse_json(written("json", SampleSession{}.exported())));
}

TEST_CASE("what is left out goes with what is then empty, and its children move up") {
  const SampleSession talk = sample_talk();
  const ExportedSession session =
      with_options(talk.exported(), {.tools = false, .thinking = false});
  std::vector<model::Entry> left;
  session.each_entry([&](const model::Entry& entry) { left.push_back(entry); });
  REQUIRE(left.size() == 5);
  CHECK(model::message_of(left[2])->content == std::vector<model::Block>{model::Text{"I look."}});
  CHECK(left[4].parent == left[2].id);
  // An end that is left out is where it came from.
  SampleSession ends = sample_talk();
  ends.entries.resize(5);
  CHECK(with_options(ends.exported(), {.tools = false}).leaf == ends.entries[2].id);
}

TEST_CASE("a format is found by its name and by a file's ending") {
  for (const ExportFormat& each : formats()) {
    CHECK(format_named(each.name) == &each);
    CHECK(format_of_file("talk" + std::string(each.extension)) == &each);
  }
  CHECK(formats().size() == 10);
  CHECK(format_of_file("talk.docx") == nullptr);
  CHECK(format_named("docx") == nullptr);
}

TEST_CASE("what was asked outside the conversation stands in a document where it was asked") {
  SampleSession talk;
  talk.add(model::user_message("hello"));
  talk.add(model::aside_entry({.question = "why <!-- entry x -->?",
                               .answer = "because",
                               .provider = "acme",
                               .model = "m"}));
  talk.add(model::user_message("bye"));
  const std::string markdown = written("markdown", talk.exported());
  CHECK(markdown.find("*Side question, not part of the conversation:*\n\nwhy <\\!-- entry x "
                      "-->?\n\n*Answer (m):*\n\nbecause\n") != std::string::npos);
  CHECK(markdown.find("another branch") == std::string::npos);
  const std::string text = written("text", talk.exported());
  CHECK(text.find("--- you, side question · ") != std::string::npos);
  CHECK(text.find("  because\n") != std::string::npos);
  CHECK(text.find("another branch") == std::string::npos);
}
