// POST /v1/messages: user and assistant in turns; results first in the message after their calls.
#include <algorithm>
#include <array>

#include "core/text/request_text.h"
#include "providers/grammar/claude_names.h"
#include "providers/grammar/grammar.h"

namespace skein::grammar {

namespace {

void image(const Json& block, Report& report, const std::string& place) {
  const Json& source = at(block, "source");
  const std::string type = string_at(source, "type");
  report.choice(type, {"base64", "url", "file"}, member(place, "source.type"));
  if (type != "base64") return;
  report.choice(string_at(source, "media_type"),
                {"image/png", "image/jpeg", "image/gif", "image/webp"},
                member(place, "source.media_type"));
  report.base64(at(source, "data"), member(place, "source.data"));
}

void text(const Json& block, Report& report, const std::string& place) {
  report.text(at(block, "text"), place);
}
void thinking(const Json& block, Report& report, const std::string& place) {
  report.check(at(block, "thinking").is_string(), place, "thinking without its text");
  report.check(is_string(at(block, "signature")) || report.target.reasoning_always, place,
               "thinking without a signature");
}
void redacted(const Json& block, Report& report, const std::string& place) {
  report.check(is_string(at(block, "data")), place, "redacted thinking without data");
}
void tool_use(const Json& block, Report& report, const std::string& place) {
  report.new_id(at(block, "id"), member(place, "id"));
  report.tool_name(at(block, "name"), member(place, "name"));
  report.object(at(block, "input"), member(place, "input"));
}
void tool_result(const Json& block, Report& report, const std::string& place) {
  report.check(is_string(at(block, "tool_use_id")), place, "a result without an id");
  if (const Json& flag = at(block, "is_error"); !flag.is_null())
    report.check(flag.is_boolean(), member(place, "is_error"), "not true or false");
  const Json& content = at(block, "content");
  const std::string inside = member(place, "content");
  if (content.is_string()) {
    report.text(content, inside);
  } else if (report.filled_array(content, inside)) {
    for (std::size_t i = 0; i < content.size(); ++i) {
      const std::string type = string_at(content[i], "type");
      if (type == "text") text(content[i], report, item(inside, i));
      if (type == "image") image(content[i], report, item(inside, i));
      report.check(!type.empty(), item(inside, i), "a block without a type");
      report.check(type == "text" || !bool_at(block, "is_error"), item(inside, i),
                   "an error with something that is no text");
    }
  }
}

struct Kind {
  std::string_view type;
  std::string_view role;
  void (*judge)(const Json& block, Report& report, const std::string& place);
};

constexpr Kind block_kinds[] = {
    {"text", "user", text},
    {"text", "assistant", text},
    {"image", "user", image},
    {"tool_result", "user", tool_result},
    {"thinking", "assistant", thinking},
    {"redacted_thinking", "assistant", redacted},
    {"tool_use", "assistant", tool_use},
};

void judge_block(const Json& block, const std::string& role, Report& report,
                 const std::string& place) {
  const std::string type = string_at(block, "type");
  if (!report.check(!type.empty(), place, "a block without a type")) return;
  const auto kind = std::ranges::find_if(
      block_kinds, [&](const Kind& each) { return each.type == type && each.role == role; });
  if (kind != std::end(block_kinds)) return kind->judge(block, report, place);
  // Blocks of tools the provider runs itself go back unread; known ones have their side.
  const bool known = std::ranges::find(block_kinds, type, &Kind::type) != std::end(block_kinds);
  report.check(!known && role == "assistant", place, "'" + type + "' is refused in this role");
}

bool is_thinking(const Json& block) {
  const std::string type = string_at(block, "type");
  return type == "thinking" || type == "redacted_thinking";
}

std::vector<std::string> ids_in(const Json& message, std::string_view type, std::string_view key) {
  std::vector<std::string> ids;
  for (const Json& block : list_at(message, "content"))
    if (string_at(block, "type") == type) ids.push_back(string_at(block, key));
  std::ranges::sort(ids);
  return ids;
}

void judge_message(const Json& message, Report& report, const std::string& place) {
  const std::string role = string_at(message, "role");
  report.choice(role, {"user", "assistant"}, member(place, "role"));
  const Json& content = at(message, "content");
  const std::string inside = member(place, "content");
  if (content.is_string()) {
    report.text(content, inside);
    return;
  }
  if (!report.filled_array(content, inside)) return;
  bool spoken = false;
  for (std::size_t i = 0; i < content.size(); ++i) {
    judge_block(content[i], role, report, item(inside, i));
    const bool result = string_at(content[i], "type") == "tool_result";
    report.check(!result || !spoken, item(inside, i), "results come first");
    spoken = spoken || !result;
  }
  report.check(!is_thinking(content.back()), inside, "ends in thinking");
  // What a model that is bound to its past wrote goes back as it came, in whatever order.
  if (role == "assistant" && !report.target.prefix_bound && !is_thinking(content.front()))
    report.check(std::ranges::none_of(content, is_thinking), inside, "thinking that is not first");
  if (report.target.reasoning_always && role == "assistant")
    report.check(is_thinking(content.front()), inside, "a reply without thinking");
}

void judge_pairs(const Json& messages, Report& report) {
  std::vector<std::string> calls;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string place = item("messages", i);
    report.check(ids_in(messages[i], "tool_result", "tool_use_id") == calls, place,
                 "results do not match the calls before");
    calls = ids_in(messages[i], "tool_use", "id");
  }
  report.check(calls.empty(), "messages", "the last calls have no results");
}

int cache_marks(const Json& value) {
  if (!value.is_structured()) return 0;
  int marks = value.is_object() && value.contains("cache_control") ? 1 : 0;
  for (const Json& each : value) marks += cache_marks(each);
  return marks;
}

void judge_anthropic_settings(const Json& body, Report& report) {
  report.check(is_string(at(body, "model")), "model", "no model");
  report.check(int_at(body, "max_tokens") > 0, "max_tokens", "no limit");
  for (const char* gone : {"temperature", "top_p", "top_k"})
    report.check(!body.contains(gone), gone, "no longer taken");
  const Json& system = at(body, "system");
  if (system.is_string()) report.text(system, "system");
  if (system.is_array())
    for (std::size_t i = 0; i < system.size(); ++i)
      report.text(at(system[i], "text"), item("system", i));
  const Json& tools = list_at(body, "tools");
  std::set<std::string> names;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    report.tool_name(at(tools[i], "name"), member(item("tools", i), "name"));
    report.check(names.insert(string_at(tools[i], "name")).second, item("tools", i),
                 "two tools share a name");
    report.check(string_at(at(tools[i], "input_schema"), "type") == "object", item("tools", i),
                 "the schema is not an object's");
  }
  report.check(cache_marks(at(body, "messages")) + cache_marks(system) + cache_marks(tools) <= 4,
               "cache_control", "more than four marks");
}

constexpr std::string_view binding_beta = "thinking-binding-controls-2026-08-01";

void judge_thinking(const Json& body, Report& report) {
  const std::string model = string_at(body, "model");
  const std::string forced = string_at(at(body, "tool_choice"), "type");
  if (always_thinks(model))
    report.check(forced != "any" && forced != "tool", "tool_choice", "this model is not forced");
  if (!body.contains("thinking")) return;
  const Json& thinking = body["thinking"];
  const std::string type = string_at(thinking, "type");
  report.choice(type, {"enabled", "adaptive", "disabled", "between_tools"}, "thinking.type");
  if (type == "enabled") {
    const std::int64_t budget = int_at(thinking, "budget_tokens");
    report.check(budget >= 1024 && budget < int_at(body, "max_tokens"), "thinking.budget_tokens",
                 "not from 1024 to max_tokens");
    report.check(!is_claude_from(model, 4, 7), "thinking.type", "this model takes no budget");
  }
  report.check(type != "disabled" || !always_thinks(model), "thinking.type",
               "this model always thinks");
  const std::string effort = string_at(at(body, "output_config"), "effort");
  report.check(type != "between_tools" || (effort != "xhigh" && effort != "max"),
               "output_config.effort", "more than high between tools");
  if (const Json& display = at(thinking, "display"); !display.is_null())
    report.choice(string_at(thinking, "display"), {"summarized", "omitted"}, "thinking.display");
  if (const Json& binding = at(thinking, "block_binding"); !binding.is_null()) {
    report.check(report.betas.find(binding_beta) != std::string_view::npos,
                 "thinking.block_binding", "not known without its beta header");
    report.check(type != "disabled", "thinking.block_binding", "without thinking");
    report.choice(string_at(binding, "prefix_mismatch_behavior"), {"error", "drop_block"},
                  "thinking.block_binding.prefix_mismatch_behavior");
  }
}

// A loop is run in one mode: with a budget it begins with thinking, and without it has none.
void judge_running_loop(const Json& body, const Json& messages, Report& report) {
  std::size_t last = messages.size();
  while (last > 0 && string_at(messages[last - 1], "role") != "assistant") --last;
  if (last == 0 || last == messages.size()) return;
  const Json& reply = list_at(messages[last - 1], "content");
  if (reply.empty() || ids_in(messages[last], "tool_result", "tool_use_id").empty()) return;
  const std::string place = member(item("messages", last - 1), "content");
  const std::string type = string_at(at(body, "thinking"), "type");
  const std::string model = string_at(body, "model");
  const bool silent = type.empty() && is_claude(model) && !is_claude_from(model, 4, 6);
  if (type == "enabled")
    report.check(is_thinking(reply.front()), place,
                 "the running loop does not begin with thinking");
  if (type == "disabled" || silent)
    report.check(std::ranges::none_of(reply, is_thinking), place,
                 "thinking in a running loop without it");
}

}  // namespace

void anthropic(const Json& body, Report& report) {
  judge_anthropic_settings(body, report);
  judge_thinking(body, report);
  const Json& messages = at(body, "messages");
  if (!report.filled_array(messages, "messages")) return;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    judge_message(messages[i], report, item("messages", i));
    const std::string expected = i % 2 == 0 ? "user" : "assistant";
    report.check(string_at(messages[i], "role") == expected, item("messages", i),
                 "user and assistant do not take turns");
  }
  judge_pairs(messages, report);
  judge_running_loop(body, messages, report);
  report.check(string_at(messages.back(), "role") != "assistant", "messages", last_is_a_reply);
}

}  // namespace skein::grammar
