#include "providers/offline/offline.h"

#include "core/text/text.h"

namespace skein::offline {

namespace {

// The next word with the white space after it.
std::string_view next_word(std::string_view text) {
  const auto space = text.find_first_of(" \n");
  return text.substr(0, text.find_first_not_of(" \n", space));
}

// By core/model/tokens: good enough to see a budget being used.
model::Usage estimated_usage(const model::Context& context, std::string_view answer) {
  model::Usage usage{.input = model::tokens_of(context.system), .output = model::tokens_of(answer)};
  for (const model::Message& message : context.messages) usage.input += model::tokens_of(message);
  for (const model::ToolSpec& tool : context.tools) usage.input += model::tokens_of(tool);
  return usage;
}

}  // namespace

PacedReply::PacedReply(const model::ModelRef& model, const model::Ports& ports,
                       std::chrono::milliseconds pace)
    : ports_(ports), pace_(pace), assembler_(model.provider, model.model) {}

void PacedReply::tell(model::Delta delta) {
  if (ports_.stopped()) return;
  limit_.pass(std::move(delta), [this](model::Delta given) {
    assembler_.add(given);
    ports_.sink(model::Streaming{std::move(given)});
  });
}

void PacedReply::wait(std::chrono::milliseconds time) { model::pause(ports_, time); }

template <class Piece>
void PacedReply::word_by_word(std::string_view text) {
  for (; !text.empty() && !ports_.stopped() && !limit_.reached();
       text.remove_prefix(next_word(text).size())) {
    tell(Piece{"", std::string(next_word(text))});
    wait(pace_);
  }
}

void PacedReply::think(std::string_view text) { word_by_word<model::delta::ThinkingPiece>(text); }
void PacedReply::say(std::string_view text) { word_by_word<model::delta::TextPiece>(text); }

void PacedReply::call(const model::ToolUse& call) {
  const std::string block = "call" + std::to_string(++blocks_);
  tell(model::delta::ToolStart{block, call.id, call.name});
  tell(model::delta::ToolInput{block, call.input});
  tell(model::delta::BlockEnd{block});
}

model::Message PacedReply::finish(model::Stop stop, const model::Usage& usage) {
  tell(model::delta::UsageUpdate{usage.input, usage.output, usage.cache_read, usage.cache_write,
                                 usage.reasoning});
  tell(model::delta::StopReason{stop});
  tell(model::delta::Finished{});
  model::Message message =
      assembler_.finished() || limit_.reached() ? assembler_.message() : assembler_.aborted();
  message.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - start_)
                            .count();
  return message;
}

model::Message PacedReply::cut() const {
  return ports_.stopped() ? assembler_.aborted() : assembler_.message();
}

std::chrono::milliseconds demo_pace() {
  constexpr int usual = 12, slowest = 1000;
  const std::string text = env("SKEIN_DEMO_PACE");
  int pace = usual;
  std::from_chars(text.data(), text.data() + text.size(), pace);
  return std::chrono::milliseconds(pace < 0 ? usual : std::min(pace, slowest));
}

model::Message OfflineProvider::stream(const model::Context& context, const model::ModelRef& model,
                                       const model::Ports& ports) {
  const RuleReply reply = reply_by_rule(context);
  PacedReply speaker(model, ports, pace_);
  if (model.thinking != model::ThinkingLevel::off) speaker.think(reply.thought);
  speaker.say(reply.text);
  for (const model::ToolUse& call : reply.calls) speaker.call(call);
  return speaker.finish(reply.calls.empty() ? model::Stop::stop : model::Stop::tool_use,
                        estimated_usage(context, reply.thought + reply.text));
}

}  // namespace skein::offline
