#include "core/exchange/importers/openai.h"

#include <memory>
#include <string>

#include "core/exchange/importers/message_array.h"
#include "core/exchange/importers/openai_messages.h"

namespace skein::exchange::importers {

namespace {

bool is_message_or_item(const Json& json) {
  const std::string type = string_at(json, "type");
  return is_openai_message(json) ||
         (json.is_object() && !json.contains("role") &&
          ((type == "function_call" && at(json, "call_id").is_string()) ||
           (type == "function_call_output" && at(json, "call_id").is_string()) ||
           (type == "reasoning" && at(json, "summary").is_array())));
}

ReadMessage openai_reader(const Json& facts, Receiver& receiver) {
  // Shared by the copies of the function, which is made to be copied.
  auto messages = std::make_shared<OpenaiMessages>(string_at(facts, "model"), receiver);
  return [messages](const Json& message) { return messages->read(message); };
}

std::string openai_instructions(const Json& facts) {
  return string_at(facts, "instructions", string_at(facts, "system"));
}

const ArrayDialect& openai_dialect() {
  static const ArrayDialect the{.lists = {"messages", "input", "history"},
                                .is_message = is_message_or_item,
                                .reader = openai_reader,
                                .instructions = openai_instructions};
  return the;
}

}  // namespace

Format openai() {
  return {.name = "openai",
          .agent = "OpenAI messages",
          .channel = "openai",
          .recognizes = [](const SourceFile& file) { return holds_array(file, openai_dialect()); },
          .read = [](const SourceFile& file, const ReadOptions& options,
                     Receiver& receiver) { read_array(file, options, receiver, openai_dialect()); },
          .places = nullptr};
}

}  // namespace skein::exchange::importers
