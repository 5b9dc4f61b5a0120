#include <doctest/doctest.h>

#include "core/tools/tools.h"

using namespace skein;
using namespace skein::tools;

namespace {

std::string text_of(const ToolOutcome& outcome) {
  return std::get<model::Text>(outcome.content.at(0)).text;
}

}  // namespace

TEST_CASE("recall gives what earlier sessions said, marked as such, and only reads") {
  std::string asked;
  const Tool tool = recall_tool([&](const std::string& query, const std::string& since,
                                    const ToolPorts& ports) -> std::vector<Recollection> {
    asked = query + "|" + since + "|" + (ports.session ? to_string(*ports.session) : "-");
    if (query == "nothing") return {};
    return {{"main:cli:user", "0123456789abcdef", "user", "2026-11-01", "use tabs"}};
  });
  CHECK(tool.effect == Effect::reads);
  const ToolPorts ports{.session = Id{1}};
  const ToolOutcome found = tool.run(R"({"query":"tabs","since":"7d"})", ports);
  CHECK(asked == "tabs|7d|0000000000000001");
  CHECK_FALSE(found.is_error);
  CHECK(text_of(found).find("earlier conversations") != std::string::npos);
  CHECK(text_of(found).find("session main:cli:user, entry 0123456789abcdef, user") !=
        std::string::npos);
  CHECK(text_of(found).find("use tabs") != std::string::npos);
  CHECK(text_of(tool.run(R"({"query":"nothing"})", ports)).find("nothing found in earlier") == 0);
  CHECK(tool.run("{}", ports).is_error);
  CHECK(tool.title(R"({"query":"tabs"})") == "recall tabs");
}

TEST_CASE("recall is known to rules, and is not among the tools of a workspace") {
  CHECK(model::find_tool(tool_table(), "recall") != nullptr);
  CHECK(model::find_tool(standard_tools({.root = "/"}), "recall") == nullptr);
}
