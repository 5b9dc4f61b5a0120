#include "core/import/formats.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/environment.h"

using namespace skein;
using skein::test::Environment;

TEST_CASE("sessions are looked for where their program keeps them") {
  using Places = std::vector<std::string>;
  struct Row {
    const char* format;
    const char* variable;
    Places usual, configured;  // with /c in the variable
  };
  const Row rows[] = {
      {"claude-code",
       "CLAUDE_CONFIG_DIR",
       {"/h/.claude/projects", "/h/.config/claude/projects"},
       {"/c/projects"}},
      {"codex",
       "CODEX_HOME",
       {"/h/.codex/sessions", "/h/.codex/archived_sessions"},
       {"/c/sessions", "/c/archived_sessions"}},
      {"openclaw",
       "OPENCLAW_STATE_DIR",
       {"/h/.openclaw/agents", "/h/.clawdbot/agents"},
       {"/c/agents"}},
      {"opencode",
       "XDG_DATA_HOME",
       {"/h/.local/share/opencode/opencode.db", "/h/.local/share/opencode/storage/session"},
       {"/c/opencode/opencode.db", "/c/opencode/storage/session"}},
      {"pi", "PI_CODING_AGENT_DIR", {"/h/.pi/agent/sessions"}, {"/c/sessions"}},
      {"qwen", "QWEN_HOME", {"/h/.qwen/projects"}, {"/c/projects"}},
      {"kimi", "KIMI_CODE_HOME", {"/h/.kimi-code/sessions"}, {"/c/sessions"}},
      {"gemini", "", {"/h/.gemini/tmp"}, {}},
      {"copilot", "", {"/h/.copilot/session-state"}, {}},
      {"grok", "", {"/h/.grok/sessions"}, {}},
      {"hermes", "", {"/h/.hermes/sessions"}, {}},
      {"openai", "", {}, {}},
  };
  const Environment home("HOME", "/h");
  for (const Row& row : rows) {
    CAPTURE(row.format);
    const importers::ImportFormat& format = *importers::format_named(row.format);
    if (*row.variable == '\0') {
      CHECK(importers::usual_places(format) == row.usual);
      continue;
    }
    {
      const Environment unset(row.variable, nullptr);
      CHECK(importers::usual_places(format) == row.usual);
    }
    const Environment set(row.variable, "/c");
    CHECK(importers::usual_places(format) == row.configured);
  }
}

TEST_CASE("several homes are separated by commas, and a name may have one") {
  const importers::ImportFormat& format = *importers::format_named("claude-code");
  const auto places = [&](const char* value) {
    const Environment set("CLAUDE_CONFIG_DIR", value);
    return importers::usual_places(format);
  };
  CHECK(places("/a, /b,") == std::vector<std::string>{"/a/projects", "/b/projects"});
  CHECK(places("/a,b") == std::vector<std::string>{"/a,b/projects"});
}
