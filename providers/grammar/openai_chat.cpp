// POST /v1/chat/completions: system first, then user and assistant in turns; the results of an
// assistant message directly after it, one message each.

#include "providers/catalog/version.h"
#include "providers/grammar/grammar.h"

namespace skein::grammar {

namespace {

void judge_user(const Json& content, RuleReport& report, const std::string& place) {
  if (!report.list_or_text(content, place)) return;
  each(content, place, [&](const Json& part, const std::string& where) {
    const std::string type = string_at(part, "type");
    report.choice(type, {"text", "image_url"}, where);
    if (type == "text") report.text(at(part, "text"), where);
    if (type != "image_url") return;
    const std::string url = string_at(at(part, "image_url"), "url");
    report.check(url.starts_with("https://") || url.starts_with("data:image/"), where,
                 "an image without an address");
  });
}

// Returns the ids of the calls.
std::vector<std::string> judge_assistant(const Json& message, bool has_tools, RuleReport& report,
                                         const std::string& place) {
  std::vector<std::string> ids;
  const Json& calls = at(message, "tool_calls");
  const Json& content = at(message, "content");
  // Some servers want "" and some null next to calls; without calls there must be words.
  if (calls.is_null())
    report.text(content, member(place, "content"));
  else
    report.check(content.is_null() || content.is_string(), member(place, "content"),
                 "neither a text nor null");
  if (report.target.reasoning_always && has_tools)
    report.check(at(message, "reasoning_content").is_string(), place, "a reply without reasoning");
  if (calls.is_null() || !report.filled_array(calls, member(place, "tool_calls"))) return ids;
  each(calls, member(place, "tool_calls"), [&](const Json& call, const std::string& where) {
    report.new_id(at(call, "id"), member(where, "id"));
    report.choice(string_at(call, "type"), {"function"}, member(where, "type"));
    const Json& function = at(call, "function");
    report.tool_name(at(function, "name"), member(where, "function.name"));
    report.arguments(at(function, "arguments"), member(where, "function.arguments"));
    ids.push_back(string_at(call, "id"));
  });
  return ids;
}

// OpenAI's newer models take tools here only where they do not think: else /v1/responses.
void judge_effort(const Json& body, RuleReport& report) {
  if (!report.target.provider.starts_with("openai") || !body.contains("tools")) return;
  const catalog::Version version =
      catalog::version_behind(string_at(body, "model"), "gpt-").value_or(catalog::Version{});
  const std::string effort = string_at(body, "reasoning_effort");
  report.check(version < catalog::Version{5, 4} || effort.empty() || effort == "none",
               "reasoning_effort", "tools and thinking need wire = \"responses\"");
  report.check(version < catalog::Version{5, 6} || !effort.empty(), "reasoning_effort",
               "tools need it to be none, or wire = \"responses\"");
}

void judge_openai_chat_settings(const Json& body, RuleReport& report) {
  judge_effort(body, report);
  report.check(is_string(at(body, "model")), "model", "no model");
  if (body.contains("tools")) report.filled_array(at(body, "tools"), "tools");
  each(list_at(body, "tools"), "tools", [&](const Json& tool, const std::string& place) {
    const Json& function = at(tool, "function");
    report.tool_name(at(function, "name"), place);
    report.object(at(function, "parameters"), place);
  });
}

}  // namespace

void openai_chat(const Json& body, RuleReport& report) {
  judge_openai_chat_settings(body, report);
  const Json& messages = at(body, "messages");
  if (!report.filled_array(messages, "messages")) return;

  std::string before = "system";
  std::vector<std::string> open;  // calls that wait for their results
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Json& message = messages[i];
    const std::string place = item("messages", i);
    const std::string role = string_at(message, "role");
    report.choice(role, {"system", "developer", "user", "assistant", "tool"}, place);

    if (role == "tool") {
      const auto call = std::ranges::find(open, string_at(message, "tool_call_id"));
      if (report.check(call != open.end(), place, "a result without a call before it"))
        open.erase(call);
      report.text(at(message, "content"), member(place, "content"));
    } else {
      report.check(open.empty(), place, "the calls before have no results");
      open.clear();
    }
    if (role == "system" || role == "developer") {
      report.check(before == "system", place, "the system prompt is not at the beginning");
      report.text(at(message, "content"), member(place, "content"));
      continue;
    }
    if (role == "user") judge_user(at(message, "content"), report, member(place, "content"));
    if (role == "assistant") open = judge_assistant(message, body.contains("tools"), report, place);
    report.check(before != "system" || role == "user", place, "the first is not the user's");
    report.check(role == "tool" || role != before, place, "a role speaks twice in a row");
    report.check(report.target.bridge_text.empty() || before != "tool" || role != "user", place,
                 "the user speaks directly after results");
    before = role;
  }
  report.check(open.empty(), "messages", "the last calls have no results");
  report.check(before != "system", "messages", "nothing but a system prompt");
  report.check(before != "assistant", "messages", last_is_a_reply);
}

}  // namespace skein::grammar
