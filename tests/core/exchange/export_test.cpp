#include "core/exchange/export.h"

#include <doctest/doctest.h>

#include "core/store/entry_text.h"

using namespace skein;

namespace {

std::vector<Entry> talk() {
  const Message answer{
      .role = Role::assistant,
      .content = {Thinking{"hm"}, Text{"I look."}, ToolUse{"c1", "read", "{\"path\":\"a\"}"}},
      .provider = "p",
      .model = "gpt"};
  const Message result{.role = Role::tool,
                       .content = {ToolResult{.tool_use_id = "c1", .content = {Text{"x ``` y"}}}}};
  std::vector<Entry> path{message_entry(user_message("what is in a?")), message_entry(answer),
                          message_entry(result),
                          make_entry(type::model_change, R"({"provider":"p","model":"m"})")};
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
  const std::vector<Entry> path = talk();
  const std::string lines = as_json_lines(path);
  std::vector<Entry> back;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    const auto taken = new_entry_from_json(lines.substr(begin, end - begin));
    REQUIRE(std::holds_alternative<NewEntry>(taken));
    back.push_back(std::get<NewEntry>(taken).entry);
    begin = end + 1;
  }
  CHECK(back == path);
}
