#include "core/model/entry_words.h"

#include <doctest/doctest.h>

#include "core/model/tool.h"

using namespace skein;
using namespace skein::model;

namespace {

Entry result(const std::string& text, bool is_error) {
  Message message{.role = Role::tool};
  message.content = {ToolResult{"c1", {Text{text}}, is_error, {}}};
  return message_entry(message);
}

}  // namespace

TEST_CASE("what the user did not allow was refused, it has not failed") {
  const Entry refused = result(std::string(refusal_opening) + ": not there", true);
  CHECK(kind_of(refused) == "tool refused");
  CHECK(preview(refused, 60) == "refused: not there");
  CHECK(words_of(refused) == "○ refused: not there");
  CHECK_FALSE(is_failed_result(refused));
  CHECK(preview(result(std::string(refusal_opening), true), 60) == "refused");
}

TEST_CASE("what failed says so, and what a file says of a refusal is none") {
  const Entry failed = result("no such file", true);
  CHECK(kind_of(failed) == "tool failed");
  CHECK(preview(failed, 60) == "failed: no such file");
  CHECK(words_of(failed) == "✗ failed:\nno such file");
  CHECK(is_failed_result(failed));
  CHECK(kind_of(result(std::string(refusal_opening), false)) == "tool");
}
