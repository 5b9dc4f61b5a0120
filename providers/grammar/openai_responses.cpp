// POST /v1/responses: a list of items; every call has one output, after it and before the user
// speaks again; reasoning comes before the item it led to.

#include "providers/grammar/grammar.h"

namespace skein::grammar {

namespace {

constexpr std::size_t max_item_id = 64;

void judge_parts(const Json& parts, std::initializer_list<std::string_view> allowed,
                 RuleReport& report, const std::string& place) {
  if (!report.list_or_text(parts, place)) return;
  each(parts, place, [&](const Json& part, const std::string& where) {
    const std::string type = string_at(part, "type");
    report.choice(type, allowed, where);
    if (type.ends_with("_text")) report.text(at(part, "text"), where);
    if (type == "input_image")
      report.check(is_string(at(part, "image_url")) || is_string(at(part, "file_id")), where,
                   "an image without an address");
  });
}

// The items between two messages of the user.
class Items {
 public:
  Items(const Json& body, RuleReport& report) : body_(body), report_(report) {}

  void judge(const Json& entry, const std::string& place) {
    const std::string type = string_at(entry, "type", "message");
    const std::string role = string_at(entry, "role");
    judge_item_id(entry, type, place);
    if (type == "reasoning") {
      reasoning(entry, place);
      led_to_ = place;
      return;
    }
    const bool reply = type == "function_call" || role == "assistant";
    // Items of tools the provider runs itself go back unread; reasoning may lead to them.
    const bool known = reply || type == "message" || type == "function_call_output";
    report_.check(led_to_.empty() || reply || !known, led_to_, "reasoning that leads to nothing");
    led_to_.clear();
    report_.check(spoken_ || !(reply || type == "function_call_output"), place,
                  "the first is not the user's");
    if (type == "function_call") call(entry, place);
    if (type == "function_call_output") output(entry, place);
    if (type == "message") message(entry, role, place);
    user_before_ = type == "message" && role == "user";
    reply_before_ = role == "assistant";
  }

  void end() {
    report_.check(led_to_.empty(), led_to_, "reasoning that leads to nothing");
    report_.check(open_.empty(), "input", "the last calls have no outputs");
    report_.check(!reply_before_, "input", last_is_a_reply);
  }

 private:
  void judge_item_id(const Json& entry, const std::string& type, const std::string& place) {
    if (!entry.contains("id")) return;
    const std::string id = string_at(entry, "id");
    report_.check(!id.empty() && id.size() <= max_item_id, place, "the item's id is refused");
    report_.check(item_ids_.insert(id).second, place, "two items share an id");
    const std::map<std::string_view, std::string_view> prefixes{
        {"function_call", "fc"}, {"message", "msg"}, {"reasoning", "rs"}};
    if (const auto prefix = prefixes.find(type); prefix != prefixes.end())
      report_.check(id.starts_with(prefix->second), place, "the item's id has another kind's form");
  }

  void reasoning(const Json& entry, const std::string& place) {
    report_.check(at(entry, "summary").is_array(), place, "reasoning without a summary");
    // A server that keeps nothing knows no ids: it needs the encrypted text.
    if (!bool_at(body_, "store", true))
      report_.check(is_string(at(entry, "encrypted_content")), place,
                    "reasoning that the server has not kept and cannot read");
  }

  void message(const Json& entry, const std::string& role, const std::string& place) {
    report_.choice(role, {"user", "assistant", "system", "developer"}, member(place, "role"));
    // OpenAI's service does without it, llama-server does not.
    report_.check(role != "assistant" || entry.contains("type"), place, "an answer without a type");
    const Json& content = at(entry, "content");
    const std::string inside = member(place, "content");
    if (role == "assistant")
      return judge_parts(content, {"output_text", "refusal"}, report_, inside);
    judge_parts(content, {"input_text", "input_image", "input_file"}, report_, inside);
    if (role == "system" || role == "developer")
      report_.check(!spoken_, place, "the system prompt is not at the beginning");
    if (role != "user") return;
    report_.check(!user_before_, place, "the user speaks twice in a row");
    report_.check(open_.empty(), place, "the calls before have no outputs");
    open_.clear();
    spoken_ = true;
  }

  void call(const Json& entry, const std::string& place) {
    report_.new_id(at(entry, "call_id"), member(place, "call_id"));
    report_.tool_name(at(entry, "name"), member(place, "name"));
    report_.arguments(at(entry, "arguments"), member(place, "arguments"));
    open_.insert(string_at(entry, "call_id"));
  }

  void output(const Json& entry, const std::string& place) {
    report_.check(open_.erase(string_at(entry, "call_id")) == 1, place,
                  "an output without a call before it");
    judge_parts(at(entry, "output"), {"input_text", "input_image", "input_file"}, report_,
                member(place, "output"));
  }

  const Json& body_;
  RuleReport& report_;
  std::set<std::string> open_{};
  std::set<std::string> item_ids_{};
  std::string led_to_{};  // the place of reasoning that waits for what it led to
  bool spoken_ = false;
  bool user_before_ = false;
  bool reply_before_ = false;
};

}  // namespace

void openai_responses(const Json& body, RuleReport& report) {
  report.check(is_string(at(body, "model")), "model", "no model");
  if (const Json& limit = at(body, "max_output_tokens"); !limit.is_null())
    report.check(limit.is_number_integer() && limit.get<std::int64_t>() >= 16, "max_output_tokens",
                 "less than 16");
  report.check(string_at(body, "prompt_cache_key").size() <= 64, "prompt_cache_key",
               "more than 64 bytes");
  if (body.contains("instructions")) report.text(at(body, "instructions"), "instructions");
  each(list_at(body, "tools"), "tools", [&](const Json& tool, const std::string& place) {
    if (string_at(tool, "type") != "function") return;
    report.tool_name(at(tool, "name"), place);
    report.object(at(tool, "parameters"), place);
  });
  const Json& input = at(body, "input");
  if (!report.list_or_text(input, "input")) return;
  Items items(body, report);
  each(input, "input", [&](const Json& entry, const std::string& place) {
    if (report.object(entry, place)) items.judge(entry, place);
  });
  items.end();
}

}  // namespace skein::grammar
