// POST …:streamGenerateContent: user and model in turns; the content after one with n calls holds n
// responses, in the order of the calls.

#include "providers/grammar/grammar.h"

namespace skein::grammar {

namespace {

constexpr std::array<std::string_view, 9> part_kinds{
    "text",           "functionCall",        "functionResponse", "inlineData",  "fileData",
    "executableCode", "codeExecutionResult", "toolCall",         "toolResponse"};

void judge_part(const Json& part, const std::string& role, RuleReport& report,
                const std::string& place) {
  if (!report.object(part, place)) return;
  const bool model = role == "model";
  const auto held =
      std::ranges::count_if(part_kinds, [&](auto kind) { return part.contains(kind); });
  report.check(held == 1, place, "not exactly one kind of content");

  const Json& signature = at(part, "thoughtSignature");
  if (!signature.is_null() && signature != handover::stand_in_signature)
    report.base64(signature, member(place, "thoughtSignature"));
  report.check(signature.is_null() || model, place, "a signature on the user's words");
  report.check(!part.contains("thought") || model, place, "a thought of the user's");

  // A part without words may carry a signature.
  if (part.contains("text") && (signature.is_null() || !part["text"].is_string()))
    report.text(part["text"], member(place, "text"));
  if (const Json& call = at(part, "functionCall"); !call.is_null()) {
    report.check(model, place, "a call of the user's");
    report.tool_name(at(call, "name"), member(place, "functionCall.name"));
    report.object(at(call, "args"), member(place, "functionCall.args"));
  }
  if (const Json& response = at(part, "functionResponse"); !response.is_null()) {
    report.check(!model, place, "a response of the model's");
    report.object(at(response, "response"), member(place, "functionResponse.response"));
    report.check(!response.contains("parts") || report.target.images_in_results, place,
                 "an image inside a response");
  }
  if (const Json& data = at(part, "inlineData"); !data.is_null()) {
    report.check(string_at(data, "mimeType").find('/') != std::string::npos, place, "no type");
    report.base64(at(data, "data"), member(place, "inlineData.data"));
  }
}

// The name and the id of each.
using Named = std::vector<std::pair<std::string, std::string>>;
Named named_in(const Json& content, std::string_view kind) {
  Named out;
  for (const Json& part : list_at(content, "parts"))
    if (part.contains(kind))
      out.emplace_back(string_at(at(part, kind), "name"), string_at(at(part, kind), "id"));
  return out;
}

// Where the running turn begins: with the last words of the user's that are no responses.
std::size_t running_turn(const Json& contents) {
  std::size_t at = contents.size();
  while (at > 0 && (string_at(contents[at - 1], "role") != "user" ||
                    !named_in(contents[at - 1], "functionResponse").empty()))
    --at;
  return at;
}

void judge_signature(const Json& content, RuleReport& report, const std::string& place) {
  const std::vector<Json>& parts = list_at(content, "parts");
  const auto call =
      std::ranges::find_if(parts, [](const Json& part) { return part.contains("functionCall"); });
  report.check(call == parts.end() || call->contains("thoughtSignature"), place,
               "the first call has no signature");
}

void judge_google_settings(const Json& body, RuleReport& report) {
  const Json& system = at(body, "systemInstruction");
  if (!system.is_null() && report.filled_array(at(system, "parts"), "systemInstruction.parts"))
    for (const Json& part : system["parts"]) report.text(at(part, "text"), "systemInstruction");
  const std::vector<Json>& tools = list_at(body, "tools");
  for (std::size_t i = 0; i < tools.size(); ++i)
    for (const Json& declared : list_at(tools[i], "functionDeclarations"))
      report.tool_name(at(declared, "name"), item("tools", i));
}

}  // namespace

void google(const Json& body, RuleReport& report) {
  judge_google_settings(body, report);
  const Json& contents = at(body, "contents");
  if (!report.filled_array(contents, "contents")) return;
  Named calls;
  const std::size_t running = running_turn(contents);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const std::string place = item("contents", i);
    const std::string role = string_at(contents[i], "role");
    report.choice(role, {"user", "model"}, member(place, "role"));
    report.check(role == (i % 2 == 0 ? "user" : "model"), place,
                 "user and model do not take turns");
    const Json& parts = at(contents[i], "parts");
    if (!report.filled_array(parts, member(place, "parts"))) continue;
    for (std::size_t k = 0; k < parts.size(); ++k)
      judge_part(parts[k], role, report, item(member(place, "parts"), k));

    report.check(named_in(contents[i], "functionResponse") == calls, place,
                 "responses do not match the calls before");
    calls = named_in(contents[i], "functionCall");
    if (report.target.call_ids)
      report.check(
          std::ranges::none_of(calls, [](const auto& call) { return call.second.empty(); }), place,
          "a call without an id");
    if (report.target.signed_calls && i >= running) judge_signature(contents[i], report, place);
  }
  report.check(calls.empty(), "contents", "the last calls have no responses");
  report.check(string_at(contents.back(), "role") != "model", "contents", last_is_a_reply);
}

}  // namespace skein::grammar
