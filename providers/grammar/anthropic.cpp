// POST /v1/messages: user and assistant in turns; results first in the message after their calls.

#include "providers/catalog/version.h"
#include "providers/grammar/grammar.h"

namespace skein::grammar {

namespace {

// Which of Anthropic's rules hold for a model, by its name. Read here once more, apart from the
// catalog: a judge does not take the defendant's word.

bool is_claude(std::string_view model) { return model.find("claude") != model.npos; }

// A Claude model of at least this version; one whose name has no number is taken for the newest.
bool is_claude_from(std::string_view model, int major, int minor) {
  const std::size_t name = model.find("claude");
  return name != model.npos &&
         catalog::since(catalog::split_version(model.substr(name)).version, {major, minor});
}

// Its thinking cannot be switched off: {"type":"disabled"} is refused.
bool always_thinks(std::string_view model) {
  const auto is_of = [&](std::string_view family) { return model.find(family) != model.npos; };
  if (is_of("fable") || is_of("mythos")) return is_claude(model);
  return (is_of("opus") || is_of("sonnet")) && is_claude_from(model, 5, 5);
}

void image(const Json& block, RuleReport& report, const std::string& place) {
  const Json& source = at(block, "source");
  const std::string type = string_at(source, "type");
  report.choice(type, {"base64", "url", "file"}, member(place, "source.type"));
  if (type != "base64") return;
  report.choice(string_at(source, "media_type"),
                {"image/png", "image/jpeg", "image/gif", "image/webp"},
                member(place, "source.media_type"));
  report.base64(at(source, "data"), member(place, "source.data"));
}

void text(const Json& block, RuleReport& report, const std::string& place) {
  report.text(at(block, "text"), place);
}
void thinking(const Json& block, RuleReport& report, const std::string& place) {
  report.check(at(block, "thinking").is_string(), place, "thinking without its text");
  report.check(is_string(at(block, "signature")) || report.target.reasoning_always, place,
               "thinking without a signature");
}
void redacted(const Json& block, RuleReport& report, const std::string& place) {
  report.check(is_string(at(block, "data")), place, "redacted thinking without data");
}
void tool_use(const Json& block, RuleReport& report, const std::string& place) {
  report.new_id(at(block, "id"), member(place, "id"));
  report.tool_name(at(block, "name"), member(place, "name"));
  report.object(at(block, "input"), member(place, "input"));
}
void tool_result(const Json& block, RuleReport& report, const std::string& place) {
  report.check(is_string(at(block, "tool_use_id")), place, "a result without an id");
  if (const Json& flag = at(block, "is_error"); !flag.is_null())
    report.check(flag.is_boolean(), member(place, "is_error"), "not true or false");
  const Json& content = at(block, "content");
  const std::string inside = member(place, "content");
  if (!report.list_or_text(content, inside)) return;
  each(content, inside, [&](const Json& part, const std::string& where) {
    const std::string type = string_at(part, "type");
    if (type == "text") text(part, report, where);
    if (type == "image") image(part, report, where);
    report.check(!type.empty(), where, "a block without a type");
    report.check(type == "text" || !bool_at(block, "is_error"), where,
                 "an error with something that is no text");
  });
}

struct BlockRule {
  std::string_view type;
  std::string_view role;
  void (*judge)(const Json& block, RuleReport& report, const std::string& place);
};

constexpr BlockRule block_kinds[] = {
    {"text", "user", text},
    {"text", "assistant", text},
    {"image", "user", image},
    {"tool_result", "user", tool_result},
    {"thinking", "assistant", thinking},
    {"redacted_thinking", "assistant", redacted},
    {"tool_use", "assistant", tool_use},
};

void judge_block(const Json& block, const std::string& role, RuleReport& report,
                 const std::string& place) {
  const std::string type = string_at(block, "type");
  if (!report.check(!type.empty(), place, "a block without a type")) return;
  const auto kind = std::ranges::find_if(
      block_kinds, [&](const BlockRule& each) { return each.type == type && each.role == role; });
  if (kind != std::end(block_kinds)) return kind->judge(block, report, place);
  // Blocks of tools the provider runs itself go back unread; known ones have their side.
  const bool known =
      std::ranges::find(block_kinds, type, &BlockRule::type) != std::end(block_kinds);
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

void judge_message(const Json& message, RuleReport& report, const std::string& place) {
  const std::string role = string_at(message, "role");
  report.choice(role, {"user", "assistant"}, member(place, "role"));
  const Json& content = at(message, "content");
  const std::string inside = member(place, "content");
  if (!report.list_or_text(content, inside)) return;
  bool spoken = false;
  each(content, inside, [&](const Json& block, const std::string& where) {
    judge_block(block, role, report, where);
    const bool result = string_at(block, "type") == "tool_result";
    report.check(!result || !spoken, where, "results come first");
    spoken = spoken || !result;
  });
  report.check(!is_thinking(content.back()), inside, "ends in thinking");
  // What a model that is bound to its past wrote goes back as it came, in whatever order.
  if (role == "assistant" && !report.target.prefix_bound && !is_thinking(content.front()))
    report.check(std::ranges::none_of(content, is_thinking), inside, "thinking that is not first");
  if (report.target.reasoning_always && role == "assistant")
    report.check(is_thinking(content.front()), inside, "a reply without thinking");
}

void judge_pairs(const Json& messages, RuleReport& report) {
  std::vector<std::string> calls;
  each(messages, "messages", [&](const Json& message, const std::string& place) {
    report.check(ids_in(message, "tool_result", "tool_use_id") == calls, place,
                 "results do not match the calls before");
    calls = ids_in(message, "tool_use", "id");
  });
  report.check(calls.empty(), "messages", "the last calls have no results");
}

int cache_marks(const Json& value) {
  if (!value.is_structured()) return 0;
  int marks = value.is_object() && value.contains("cache_control") ? 1 : 0;
  for (const Json& each : value) marks += cache_marks(each);
  return marks;
}

void judge_anthropic_settings(const Json& body, RuleReport& report) {
  report.check(is_string(at(body, "model")), "model", "no model");
  report.check(int_at(body, "max_tokens") > 0, "max_tokens", "no limit");
  for (const char* gone : {"temperature", "top_p", "top_k"})
    report.check(!body.contains(gone), gone, "no longer taken");
  const Json& system = at(body, "system");
  if (system.is_string()) report.text(system, "system");
  each(list_at(body, "system"), "system",
       [&](const Json& block, const std::string& place) { report.text(at(block, "text"), place); });
  std::set<std::string> names;
  each(list_at(body, "tools"), "tools", [&](const Json& tool, const std::string& place) {
    report.tool_name(at(tool, "name"), member(place, "name"));
    report.check(names.insert(string_at(tool, "name")).second, place, "two tools share a name");
    report.check(string_at(at(tool, "input_schema"), "type") == "object", place,
                 "the schema is not an object's");
  });
  int marks = 0;
  for (const char* part : {"messages", "system", "tools"}) marks += cache_marks(at(body, part));
  report.check(marks <= 4, "cache_control", "more than four marks");
}

constexpr std::string_view binding_beta = "thinking-binding-controls-2026-08-01";

void judge_thinking(const Json& body, RuleReport& report) {
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
void judge_running_loop(const Json& body, const Json& messages, RuleReport& report) {
  std::size_t last = messages.size();
  while (last > 0 && string_at(messages[last - 1], "role") != "assistant") --last;
  if (last == 0 || last == messages.size()) return;
  const std::vector<Json>& reply = list_at(messages[last - 1], "content");
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

void anthropic(const Json& body, RuleReport& report) {
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
