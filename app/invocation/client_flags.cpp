#include "app/invocation/client_flags.h"

#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/request_text.h"
#include "core/text/text.h"

namespace skein::app {

namespace {

// Rules by commas, but not those in parentheses.
std::vector<std::string> rules_in(std::string_view text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  std::erase_if(out, [](const std::string& rule) { return is_blank(rule); });
  return out;
}

class Translation {
 public:
  explicit Translation(std::span<const std::string> given) : given_(given) {}

  TranslatedFlags run() {
    for (at_ = 0; at_ < given_.size(); ++at_) {
      const std::string& word = given_[at_];
      const std::size_t equals = word.find('=');
      name_ = word.substr(0, equals);
      value_ = equals == std::string::npos || !word.starts_with("--")
                   ? std::nullopt
                   : std::optional(word.substr(equals + 1));
      const auto row = std::ranges::find(rows(), name_, &Row::name);
      if (row == rows().end()) {
        unknown(word);
        continue;
      }
      if (row->has_value && !value_) value_ = next_word();
      if (row->has_value && !value_) {
        fail(name_ + " needs a value");
        continue;
      }
      if (row->take != nullptr) (this->*row->take)();
      if (!row->ours.empty() && !(row->has_value && value_->empty()))
        out_.arguments.push_back(std::string(row->ours) + (row->has_value ? "=" + *value_ : ""));
    }
    finish();
    return std::move(out_);
  }

 private:
  struct Row {
    std::string_view name;
    bool has_value = false;
    std::string_view ours{};  // skein's option for it; empty: none
    void (Translation::*take)() = nullptr;
  };

  void fail(std::string why) {
    if (out_.flags.trouble.empty()) out_.flags.trouble = std::move(why);
  }
  void warn(std::string what) { out_.flags.warnings.push_back(std::move(what)); }
  std::optional<std::string> next_word() {
    return at_ + 1 < given_.size() ? std::optional(given_[++at_]) : std::nullopt;
  }
  void unknown(const std::string& word) {
    // skein's own options, as a wrapper may add them.
    constexpr std::string_view with_value = "--home --workspace --base-url --time -C";
    if (has_word(with_value, name_)) {
      out_.arguments.push_back(word);
      if (const auto value = value_ ? std::nullopt : next_word()) out_.arguments.push_back(*value);
      return;
    }
    warn(word.empty() ? "an empty argument" : word);
  }

  void take_asks() {
    if (*value_ != "stdio")
      return fail("--permission-prompt-tool takes stdio, not '" + *value_ + "'");
    out_.flags.asks = true;
  }
  void take_dialect() {
    if (*value_ != "claude") fail("--dialect takes claude, not '" + *value_ + "'");
  }
  void take_partial() { out_.flags.partial = true; }
  void take_replay() { out_.flags.replay = true; }
  void take_bypass_allowed() { out_.flags.may_bypass = true; }
  void take_bypass() {
    out_.flags.may_bypass = true;
    mode_ = "bypassPermissions";
  }
  void take_session() { out_.flags.session = *value_; }
  void take_resume() { out_.flags.resume = *value_; }
  void take_resume_at() { out_.flags.resume_at = *value_; }
  void take_mode() { mode_ = *value_; }
  void take_system_prompt() {
    if (value_->empty()) value_ = no_system_prompt;
  }
  void take_model() { value_ = model_for_skein(*value_); }
  void take_tools() {
    // Behind "--tools=" the parser would take the next argument for its value.
    const std::string names = value_->empty() ? "," : *value_;
    if (names != "default") out_.arguments.push_back("--tools=" + names);
  }
  void take_allowed() { add_rules("allow"); }
  void take_disallowed() { add_rules("deny"); }
  void add_rules(const char* list) {
    for (std::string& rule : rules_in(*value_)) permissions_[list].push_back(std::move(rule));
  }
  // Rules in settings that forbid or ask count; those that allow are for the user to write.
  void take_settings() {
    const std::optional<std::string> text =
        trimmed(*value_).starts_with('{') ? value_ : file_text(*value_);
    const std::optional<Json> settings = text ? parse_json(*text) : std::nullopt;
    if (!settings || !settings->is_object()) return fail("--settings is not a JSON object");
    for (const char* list : {"deny", "ask"})
      for (const Json& rule : at(at(*settings, "permissions"), list))
        permissions_[list].push_back(rule);
  }
  void take_thinking_tokens() {
    const auto tokens = parse_number<std::int64_t>(*value_);
    if (!tokens) return fail("--max-thinking-tokens takes a number, not '" + *value_ + "'");
    out_.arguments.push_back("--thinking=" + thinking_for_tokens(*tokens));
  }
  void take_thinking() {
    if (*value_ == "disabled") out_.arguments.emplace_back("--thinking=off");
  }
  // Instructions, skills, commands and servers of the project are loaded only if it is named. What
  // forbids, and the user's hooks, count in any case.
  void take_sources() {
    const std::vector<std::string_view> sources = split(*value_, ',');
    if (std::ranges::find(sources, "project") != sources.end()) return;
    out_.arguments.emplace_back("--no-instructions");
    out_.arguments.emplace_back("--strict-mcp-config");
  }

  void finish() {
    if (!permissions_.empty()) out_.flags.permissions = dump({{"permissions", permissions_}});
    out_.arguments.emplace_back("--input-format=stream-json");
    if (mode_.empty()) return;
    const std::optional<std::string> mode = mode_for_skein(mode_);
    if (!mode)
      return fail(
          "--permission-mode takes default, acceptEdits, bypassPermissions, plan, dontAsk "
          "or auto, not '" +
          mode_ + "'");
    if (*mode == "bypassPermissions" && !out_.flags.may_bypass)
      return fail("bypassPermissions needs --allow-dangerously-skip-permissions");
    out_.flags.dont_ask = mode_ == "dontAsk";
    if (mode_ == "auto") warn("--permission-mode=auto, which is the default mode in skein");
    out_.arguments.push_back("--permission-mode=" + *mode);
  }

  static std::span<const Row> rows();

  std::span<const std::string> given_;
  std::size_t at_ = 0;
  std::string name_{}, mode_{};
  std::optional<std::string> value_{};
  Json permissions_ = Json::object();
  TranslatedFlags out_{};
};

std::span<const Translation::Row> Translation::rows() {
  static constexpr Row table[] = {
      {"--print"},
      {"-p"},
      {"--verbose"},
      {"--include-hook-events"},
      {"--output-format", true},
      {"--input-format", true},
      {"--betas", true},
      {"--dialect", true, "", &Translation::take_dialect},
      {"--debug-file", true},
      {"--thinking-display", true},
      {"--debug", false, "--debug"},
      {"--model", true, "--model", &Translation::take_model},
      {"--fallback-model", true, "--fallback-model", &Translation::take_model},
      {"--continue", false, "--continue"},
      {"-c", false, "--continue"},
      {"--resume", true, "", &Translation::take_resume},
      {"-r", true, "", &Translation::take_resume},
      {"--session-id", true, "", &Translation::take_session},
      {"--resume-session-at", true, "", &Translation::take_resume_at},
      {"--fork-session", false, "--fork"},
      {"--no-session-persistence", false, "--no-session"},
      {"--permission-prompt-tool", true, "", &Translation::take_asks},
      {"--permission-mode", true, "", &Translation::take_mode},
      {"--allow-dangerously-skip-permissions", false, "", &Translation::take_bypass_allowed},
      {"--dangerously-skip-permissions", false, "", &Translation::take_bypass},
      {"--allowedTools", true, "", &Translation::take_allowed},
      {"--disallowedTools", true, "", &Translation::take_disallowed},
      {"--allowed-tools", true, "", &Translation::take_allowed},
      {"--disallowed-tools", true, "", &Translation::take_disallowed},
      {"--settings", true, "", &Translation::take_settings},
      {"--tools", true, "", &Translation::take_tools},
      {"--mcp-config", true, "--mcp-config"},
      {"--strict-mcp-config", false, "--strict-mcp-config"},
      {"--add-dir", true, "--add-dir"},
      {"--agent", true, "--agent"},
      {"--agents", true, "--agents"},
      {"--system-prompt", true, "--system-prompt", &Translation::take_system_prompt},
      {"--append-system-prompt", true, "--append-system-prompt"},
      {"--max-turns", true, "--max-turns"},
      {"--max-budget-usd", true, "--max-budget-usd"},
      {"--effort", true, "--thinking"},
      {"--max-thinking-tokens", true, "", &Translation::take_thinking_tokens},
      {"--thinking", true, "", &Translation::take_thinking},
      {"--setting-sources", true, "", &Translation::take_sources},
      {"--include-partial-messages", false, "", &Translation::take_partial},
      {"--replay-user-messages", false, "", &Translation::take_replay},
      {"--json-schema", true, "--json-schema"},
  };
  return table;
}

bool is_driven(std::span<const std::string> arguments) {
  constexpr std::string_view option = "--input-format", value = "stream-json";
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == std::string(option) + "=" + std::string(value) ||
        (arguments[i] == option && i + 1 < arguments.size() && arguments[i + 1] == value))
      return true;
  return false;
}

}  // namespace

std::optional<TranslatedFlags> translated_flags(std::span<const std::string> arguments) {
  if (!is_driven(arguments)) return std::nullopt;
  return Translation(arguments).run();
}

std::string model_for_skein(const std::string& name) {
  const std::string bare = name.ends_with("[1m]") ? name.substr(0, name.size() - 4) : name;
  if (bare == "default") return {};
  return bare.starts_with("claude-") ? "anthropic/" + bare : bare;
}

std::string thinking_for_tokens(std::int64_t tokens) {
  return tokens <= 0       ? "off"
         : tokens < 4'000  ? "low"
         : tokens < 16'000 ? "medium"
         : tokens < 32'000 ? "high"
                           : "max";
}

std::optional<std::string> mode_for_skein(const std::string& name) {
  if (name == "dontAsk" || name == "auto") return "default";
  if (has_word("default acceptEdits bypassPermissions plan", name)) return name;
  return std::nullopt;
}

}  // namespace skein::app
