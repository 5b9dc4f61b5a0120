#include "core/exchange/export.h"

#include <doctest/doctest.h>

#include "core/store/entry_text.h"

using namespace skein;
using namespace skein::exchange;

namespace {

std::vector<model::Entry> talk() {
  const model::Message answer{.role = model::Role::assistant,
                              .content = {model::Thinking{"hm"}, model::Text{"I look."},
                                          model::ToolUse{"c1", "read", "{\"path\":\"a\"}"}},
                              .provider = "p",
                              .model = "gpt"};
  const model::Message result{
      .role = model::Role::tool,
      .content = {model::ToolResult{.tool_use_id = "c1", .content = {model::Text{"x ``` y"}}}}};
  std::vector<model::Entry> path{
      model::message_entry(model::user_message("what is in a?")), model::message_entry(answer),
      model::message_entry(result),
      model::make_entry(model::type::model_change, R"({"provider":"p","model":"m"})")};
  for (std::size_t i = 1; i < path.size(); ++i) path[i].parent = path[i - 1].id;
  return path;
}

}  // namespace

TEST_CASE("a conversation reads as a document") {
  CHECK(as_markdown("a <b> & c", talk()) ==
        "# a &lt;b> &amp; c\n\n"
        "## You\n\nwhat is in a?\n\n"
        "## gpt\n\n<details><summary>thinking</summary>\n\n```text\nhm\n```\n\n</details>\n\n"
        "I look.\n\n**→ read**\n\n```json\n{\"path\":\"a\"}\n```\n\n"
        "<details><summary>result</summary>\n\n````text\nx ``` y\n````\n\n</details>\n");
}

TEST_CASE("an empty conversation is a title") {
  CHECK(as_markdown("", {}) == "# A conversation\n");
}

TEST_CASE("exported lines can be appended again, and are the same entries") {
  const std::vector<model::Entry> path = talk();
  const std::string lines = as_json_lines(path);
  std::vector<model::Entry> back;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    const auto taken = store::new_entry_from_json(lines.substr(begin, end - begin));
    REQUIRE(bool(taken));
    back.push_back(taken->entry);
    begin = end + 1;
  }
  CHECK(back == path);
}
