// POST /v1/chat/completions: system first, then user and assistant in turns; the results of an
// assistant message directly after it, one message each.
#include <algorithm>

#include "core/text/request_text.h"
#include "providers/catalog/version.h"
#include "providers/grammar/grammar.h"

namespace skein::grammar {

namespace {

void judge_user(const Json& content, Report& report, const std::string& place) {
  if (content.is_string()) {
    report.text(content, place);
    return;
  }
  if (!report.filled_array(content, place)) return;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const std::string type = string_at(content[i], "type");
    report.choice(type, {"text", "image_url"}, item(place, i));
    if (type == "text") report.text(at(content[i], "text"), item(place, i));
    if (type == "image_url") {
      const std::string url = string_at(at(content[i], "image_url"), "url");
      report.check(url.starts_with("https://") || url.starts_with("data:image/"), item(place, i),
                   "an image without an address");
    }
  }
}

// Returns the ids of the calls.
std::vector<std::string> judge_assistant(const Json& message, bool has_tools, Report& report,
                                         const std::string& place) {
  std::vector<std::string> ids;
  const Json& calls = at(message, "tool_calls");
  const Json& content = at(message, "content");
  // Some servers want "" and some null beside calls; without calls there must be words.
  if (calls.is_null())
    report.text(content, member(place, "content"));
  else
    report.check(content.is_null() || content.is_string(), member(place, "content"),
                 "neither a text nor null");
  if (report.target.reasoning_always && has_tools)
    report.check(at(message, "reasoning_content").is_string(), place, "a reply without reasoning");
  if (calls.is_null() || !report.filled_array(calls, member(place, "tool_calls"))) return ids;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string call = item(member(place, "tool_calls"), i);
    report.new_id(at(calls[i], "id"), member(call, "id"));
    report.choice(string_at(calls[i], "type"), {"function"}, member(call, "type"));
    const Json& function = at(calls[i], "function");
    report.tool_name(at(function, "name"), member(call, "function.name"));
    report.arguments(at(function, "arguments"), member(call, "function.arguments"));
    ids.push_back(string_at(calls[i], "id"));
  }
  return ids;
}

// OpenAI's newer models take tools here only where they do not think: else /v1/responses.
void judge_effort(const Json& body, Report& report) {
  if (!report.target.provider.starts_with("openai") || !body.contains("tools")) return;
  const catalog::Version version =
      catalog::version_behind(string_at(body, "model"), "gpt-").value_or(catalog::Version{});
  const std::string effort = string_at(body, "reasoning_effort");
  report.check(version < catalog::Version{5, 4} || effort.empty() || effort == "none",
               "reasoning_effort", "tools and thinking need wire = \"responses\"");
  report.check(version < catalog::Version{5, 6} || !effort.empty(), "reasoning_effort",
               "tools need it to be none, or wire = \"responses\"");
}

void judge_openai_chat_settings(const Json& body, Report& report) {
  judge_effort(body, report);
  report.check(is_string(at(body, "model")), "model", "no model");
  if (body.contains("tools")) report.filled_array(at(body, "tools"), "tools");
  const Json& tools = list_at(body, "tools");
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const Json& function = at(tools[i], "function");
    report.tool_name(at(function, "name"), item("tools", i));
    report.object(at(function, "parameters"), item("tools", i));
  }
}

}  // namespace

void openai_chat(const Json& body, Report& report) {
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
