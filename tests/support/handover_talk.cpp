#include "tests/support/handover_talk.h"

#include <algorithm>

#include "core/model/assembler.h"
#include "core/model/entry.h"
#include "core/model/scrub.h"
#include "providers/request.h"
#include "providers/wire/decoder.h"

namespace skein::test {

namespace {

const model::Image picture{"image/png", "blob", "\x89PNG"};

}  // namespace

const std::vector<StrictModel>& strict_models() {
  using enum handover::WireFormat;
  static const std::vector<StrictModel> all{
      {.wire = anthropic, .provider = "anthropic", .model = "claude-sonnet-4-5", .budget = true},
      {.wire = anthropic,
       .provider = "anthropic",
       .model = "claude-opus-5-5",
       .prefix_bound = true},
      {.wire = anthropic,
       .provider = "anthropic",
       .model = "claude-fable-5-2",
       .prefix_bound = true},
      {.wire = openai_chat, .provider = "openai", .model = "gpt-5.1"},
      {.wire = openai_responses, .provider = "openai-responses", .model = "gpt-5.6-sol"},
      {.wire = google, .provider = "google", .model = "gemini-2.5-pro"},
      {.wire = google, .provider = "google", .model = "gemini-4-pro", .signs = true},
      {.wire = openai_chat,
       .provider = "deepseek",
       .model = "deepseek-v4-pro",
       .reasons_always = true},
      {.wire = openai_chat, .provider = "mistral", .model = "mistral-large"},
  };
  return all;
}

HandoverTalk::HandoverTalk(bool betas) {
  catalog::ProviderRow row = *catalog_.find_provider("anthropic");
  row.base_url_variable = {};
  if (!betas) row.base_url = "https://relay.example";
  catalog_.add(row);
}

void HandoverTalk::user(const std::string& text, bool image) {
  messages.push_back(model::user_message(text));
  if (image) messages.back().content.emplace_back(picture);
}

bool HandoverTalk::ask(const StrictModel& model, model::ThinkingLevel thinking, const Said& said) {
  const model::ModelRef ref{model.provider, model.model, thinking};
  const catalog::ProviderRow& row = *catalog_.find_provider(model.provider);
  const providers::CheckedRequest request = providers::make_request(
      {system, messages, {{"read", "reads", R"({"type":"object"})"}}, "0123456789abcdef"}, ref, row,
      catalog_.find_model(ref));
  for (const std::string& fault : request.faults) refusals.push_back(model.model + ": " + fault);
  last_request = request.wire.body;
  const ServiceAnswer answer = service_.answer(
      model, last_request, http::header_value(request.wire.headers, wire::beta_header), said);
  if (answer.status != 200) {
    refusals.push_back(model.model + ": " + answer.body);
    return false;
  }
  for (const Json& each : service_.transformations())
    dropped += string_at(each, "reason") == "prefix_binding_mismatch";
  wire::StreamDecoder decoder(providers::codec_of(model.wire));
  model::Assembler assembler(model.provider, model.model);
  for (const model::Delta& delta : decoder.feed(answer.body)) assembler.add(delta);
  for (const model::Delta& delta : decoder.finish()) assembler.add(delta);
  messages.push_back(assembler.message());
  if (messages.back().stop == model::Stop::error ||
      messages.back().stop == model::Stop::interrupted)
    refusals.push_back(model.model + ": the answer was not understood");
  return true;
}

void HandoverTalk::turn(const StrictModel& model, model::ThinkingLevel thinking,
                        const std::string& prompt) {
  user(prompt);
  if (!ask(model, thinking, {"let me see", {new_id(), new_id()}})) return;
  answer_calls();
  if (!ask(model, thinking, {"", {new_id()}})) return;
  answer_calls();
  ask(model, thinking, {"so it is"});
}

void HandoverTalk::answer_calls(std::size_t count) {
  const model::Message asked = messages.back();
  for (const model::ToolUse* call : model::tool_uses(asked)) {
    if (count-- == 0) return;
    const bool failed = ++ids_ % 2 == 0;
    messages.push_back(
        {.role = model::Role::tool,
         .content = {model::ToolResult{call->id, {model::Text{"out"}, picture}, failed}}});
  }
}

void HandoverTalk::cut_last(model::Stop stop) {
  messages.back().stop = stop;
  for (model::Block& block : messages.back().content)
    if (auto* text = std::get_if<model::Text>(&block)) text->text.pop_back();
}

void HandoverTalk::sum_up(std::size_t kept, model::Seals seals) {
  const std::size_t gone = messages.size() - std::min(kept, messages.size());
  messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(gone));
  for (model::Message& message : messages) message.seals = std::max(message.seals, seals);
  messages.insert(messages.begin(), model::user_message("Summary of the conversation so far: x"));
}

void HandoverTalk::redact(std::size_t message) {
  messages[message] = model::masked(std::move(messages[message]));
}

// Ids as one service gives them and another refuses.
std::string HandoverTalk::new_id() {
  const std::string number = std::to_string(++ids_);
  return ids_ % 3 == 0   ? "functions.read:" + number
         : ids_ % 3 == 1 ? "toolu_" + number
                         : "call_" + std::string(50, 'x') + number;
}

}  // namespace skein::test
