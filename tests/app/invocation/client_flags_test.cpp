#include "app/invocation/client_flags.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace skein::app {

namespace {

TranslatedFlags translated(std::vector<std::string> more) {
  more.insert(more.begin(), {"--output-format", "stream-json", "--input-format", "stream-json"});
  const auto out = translated_flags(more);
  REQUIRE(out);
  return *out;
}

bool has(const TranslatedFlags& flags, const std::string& argument) {
  return std::ranges::find(flags.arguments, argument) != flags.arguments.end();
}

}  // namespace

TEST_CASE("only the flags of a program that drives skein are translated") {
  CHECK_FALSE(translated_flags(std::vector<std::string>{"-p", "hello"}));
  CHECK_FALSE(translated_flags(std::vector<std::string>{"-p", "--input-format", "text"}));
  CHECK(translated_flags(std::vector<std::string>{"--input-format=stream-json"}));
  CHECK(translated_flags(std::vector<std::string>{"-p", "--input-format", "stream-json"}));
}

TEST_CASE("flags become skein's own") {
  const TranslatedFlags flags =
      translated({"--model=claude-sonnet-5-5", "--resume=U", "--include-partial-messages",
                  "--max-thinking-tokens=8000", "--mcp-config", "{\"mcpServers\":{}}", "--tools="});
  CHECK(has(flags, "--model=anthropic/claude-sonnet-5-5"));
  CHECK(has(flags, "--thinking=medium"));
  CHECK(has(flags, "--mcp-config={\"mcpServers\":{}}"));
  CHECK(has(flags, "--tools=,"));
  CHECK(flags.flags.resume == "U");
  CHECK(flags.flags.partial);
  CHECK(flags.flags.trouble.empty());
}

TEST_CASE("rules keep commas in parentheses") {
  const TranslatedFlags flags =
      translated({"--allowedTools=Bash(a,b),Read", "--disallowedTools=Write"});
  const std::string expected =
      "{\"permissions\":{\"allow\":[\"Bash(a,b)\",\"Read\"],\"deny\":[\"Write\"]}}";
  CHECK(flags.flags.permissions == expected);
}

TEST_CASE("settings of the client forbid and never allow") {
  const std::string given =
      "--settings={\"permissions\":{\"allow\":[\"Bash\"],\"deny\":[\"Read\"]}}";
  CHECK(translated({given}).flags.permissions == "{\"permissions\":{\"deny\":[\"Read\"]}}");
  CHECK_FALSE(translated({"--settings=[]"}).flags.trouble.empty());
}

TEST_CASE("a mode that is not understood starts nothing, and bypassing needs a second flag") {
  CHECK_FALSE(translated({"--permission-mode=loose"}).flags.trouble.empty());
  CHECK_FALSE(translated({"--permission-mode=bypassPermissions"}).flags.trouble.empty());
  CHECK(translated({"--permission-mode=bypassPermissions", "--allow-dangerously-skip-permissions"})
            .flags.trouble.empty());
  const TranslatedFlags silent =
      translated({"--permission-mode=dontAsk", "--permission-prompt-tool=stdio"});
  CHECK(silent.flags.dont_ask);
  CHECK(has(silent, "--permission-mode=default"));
}

TEST_CASE("what is not known is ignored with a warning") {
  const TranslatedFlags flags = translated({"", "--unknown=1", "word"});
  CHECK(flags.flags.warnings.size() == 3);
  CHECK(flags.flags.trouble.empty());
}

}  // namespace skein::app
