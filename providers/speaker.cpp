#include "providers/speaker.h"

#include "core/pause.h"
#include "core/tokens.h"

namespace skein {

namespace {

// The next word with the white space after it.
std::string_view next_word(std::string_view text) {
  const auto space = text.find_first_of(" \n");
  return text.substr(0, text.find_first_not_of(" \n", space));
}

}  // namespace

Speaker::Speaker(const ModelRef& model, const Ports& ports, std::chrono::milliseconds pace)
    : ports_(ports), pace_(pace), assembler_(model.provider, model.model) {}

void Speaker::tell(Delta delta) {
  if (ports_.stopped() || full_) return;
  full_ = !limit_.take(delta);
  pass_on(std::move(delta));
  if (full_) pass_on(delta::Failed{AnswerLimit::sentence});
}

void Speaker::pass_on(Delta delta) {
  assembler_.add(delta);
  ports_.sink(Streaming{std::move(delta)});
}

void Speaker::wait(std::chrono::milliseconds time) { pause(ports_, time); }

void Speaker::think(std::string_view text) {
  for (; !text.empty() && !ports_.stopped() && !full_; text.remove_prefix(next_word(text).size())) {
    tell(delta::ThinkingPiece{"", std::string(next_word(text))});
    wait(pace_);
  }
}

void Speaker::say(std::string_view text) {
  for (; !text.empty() && !ports_.stopped() && !full_; text.remove_prefix(next_word(text).size())) {
    tell(delta::TextPiece{"", std::string(next_word(text))});
    wait(pace_);
  }
}

void Speaker::call(const ToolUse& call) {
  const std::string block = "call" + std::to_string(++blocks_);
  tell(delta::ToolStart{block, call.id, call.name});
  tell(delta::ToolInput{block, call.input});
  tell(delta::BlockEnd{block});
}

Message Speaker::finish(Stop stop, const Usage& usage) {
  tell(delta::UsageUpdate{usage.input, usage.output, usage.cache_read, usage.cache_write,
                          usage.reasoning});
  tell(delta::StopReason{stop});
  tell(delta::Finished{});
  Message message = assembler_.finished() || full_ ? assembler_.message() : assembler_.aborted();
  message.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - start_)
                            .count();
  return message;
}

Message Speaker::cut() const {
  return ports_.stopped() ? assembler_.aborted() : assembler_.message();
}

Usage estimated_usage(const Context& context, std::string_view answer) {
  Usage usage{.input = tokens_of(context.system), .output = tokens_of(answer)};
  for (const Message& message : context.messages) usage.input += tokens_of(message);
  for (const ToolSpec& tool : context.tools) usage.input += tokens_of(tool);
  return usage;
}

}  // namespace skein
