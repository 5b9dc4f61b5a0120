#include "core/import/formats.h"

#include "core/text/text.h"

namespace skein::importers {

// Each is defined in the file of its name.
Recognizes is_claude_code, is_codex, is_openclaw, is_opencode, is_gemini, is_qwen, is_copilot,
    is_kimi, is_grok, is_hermes, is_droid, is_cursor, is_claw0, is_myagents, is_anthropic,
    is_google, is_openai, has_pi_lines;
Reads read_claude_code, read_codex, read_openclaw, read_opencode, read_gemini, read_qwen,
    read_copilot, read_kimi, read_grok, read_hermes, read_droid, read_cursor, read_claw0,
    read_myagents, read_anthropic, read_google, read_openai, read_pi;

namespace {

// Folders separated by commas. One without a slash at its start belongs to the name before it.
std::vector<std::string> folders_in(const char* variable) {
  std::vector<std::string> out;
  const std::string value = env_path(variable);
  for (std::string_view each : split(value, ',')) {
    each = trimmed(each);
    if (each.starts_with('/'))
      out.emplace_back(each);
    else if (!each.empty())
      out.back() += "," + std::string(each);
  }
  return out;
}

}  // namespace

std::span<const ImportFormat> formats() {
  // clang-format off
  static const ImportFormat rows[] = {
      {"claude-code", "Claude Code", "claude", is_claude_code, read_claude_code,
       "CLAUDE_CONFIG_DIR", {".claude", ".config/claude"}, {"projects"}},
      {"codex", "Codex", "codex", is_codex, read_codex,
       "CODEX_HOME", {".codex"}, {"sessions", "archived_sessions"}},
      {"openclaw", "OpenClaw", "openclaw", is_openclaw, read_openclaw,
       "OPENCLAW_STATE_DIR", {".openclaw", ".clawdbot"}, {"agents"}},
      {"opencode", "opencode", "opencode", is_opencode, read_opencode,
       "XDG_DATA_HOME", {".local/share"}, {"opencode/opencode.db", "opencode/storage/session"}},
      {"pi", "pi", "pi", has_pi_lines, read_pi, "PI_CODING_AGENT_DIR", {".pi/agent"}, {"sessions"}},
      {"gemini", "Gemini CLI", "gemini", is_gemini, read_gemini, "", {".gemini"}, {"tmp"}},
      {"qwen", "Qwen Code", "qwen", is_qwen, read_qwen, "QWEN_HOME", {".qwen"}, {"projects"}},
      {"copilot", "Copilot CLI", "copilot", is_copilot, read_copilot,
       "", {".copilot"}, {"session-state"}},
      {"kimi", "Kimi Code", "kimi", is_kimi, read_kimi,
       "KIMI_CODE_HOME", {".kimi-code"}, {"sessions"}},
      {"grok", "Grok", "grok", is_grok, read_grok, "", {".grok"}, {"sessions"}},
      {"hermes", "Hermes", "hermes", is_hermes, read_hermes, "", {".hermes"}, {"sessions"}},
      {"droid", "Droid", "droid", is_droid, read_droid, "", {".factory"}, {"sessions"}},
      {"cursor", "Cursor", "cursor", is_cursor, read_cursor, "", {".cursor"}, {"projects"}},
      {"claw0", "claw0", "claw0", is_claw0, read_claw0},
      {"myagents", "MyAgents", "myagents", is_myagents, read_myagents,
       "", {".myagents"}, {"sessions"}},
      // What no other program claims may be a bare array.
      {"anthropic", "Anthropic messages", "anthropic", is_anthropic, read_anthropic},
      {"google", "Google contents", "google", is_google, read_google},
      {"openai", "OpenAI messages", "openai", is_openai, read_openai},
  };
  // clang-format on
  return rows;
}

const ImportFormat* format_named(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &ImportFormat::name);
  return found == formats().end() ? nullptr : &*found;
}

const ImportFormat* format_of(const SourceFile& file) {
  const auto found = std::ranges::find_if(
      formats(), [&](const ImportFormat& format) { return format.recognizes(file); });
  return found == formats().end() ? nullptr : &*found;
}

std::vector<std::string> usual_places(const ImportFormat& format) {
  std::vector<std::string> homes = folders_in(format.variable), out;
  if (homes.empty() && !user_home().empty())
    for (const std::string_view home : format.homes)
      homes.push_back(user_home() + "/" + std::string(home));
  for (const std::string& home : homes)
    for (const std::string_view below : format.below)
      out.push_back(home + "/" + std::string(below));
  return out;
}

}  // namespace skein::importers
