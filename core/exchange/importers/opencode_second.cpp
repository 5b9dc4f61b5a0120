#include "core/exchange/importers/opencode_second.h"

#include <utility>

#include "core/exchange/importers/foreign_values.h"

namespace skein::exchange::importers {

namespace {

void add_second_part(OpencodeMessage& message, Json data) {
  message.parts.push_back({"part-" + std::to_string(message.parts.size()), std::move(data)});
}

void add_text_part(OpencodeMessage& message, std::string text, bool synthetic = false) {
  add_second_part(message, {{"type", "text"}, {"text", std::move(text)}, {"synthetic", synthetic}});
}

void put_second_user(OpencodeMessage& message, const Json& data) {
  add_text_part(message, string_at(data, "text"));
  if (const Json& files = at(data, "files"); files.is_array())
    for (Json file : files) {
      if (!file.is_object()) continue;
      file["type"] = "file";
      add_second_part(message, std::move(file));
    }
}

// One call of the model: what it said and the tools it used, in one list.
void put_second_answer(OpencodeMessage& message, const Json& data) {
  if (const Json& content = at(data, "content"); content.is_array())
    for (Json part : content) {
      if (string_at(part, "type") == "tool") {
        part["callID"] = at(part, "id");
        part["tool"] = at(part, "name");
      }
      add_second_part(message, std::move(part));
    }
  if (at(at(data, "time"), "completed").is_number() || at(data, "error").is_object())
    add_second_part(
        message,
        {{"type", "step-finish"}, {"reason", at(data, "finish")}, {"tokens", at(data, "tokens")}});
}

// What was kept of the end of the conversation stands in a compaction as text.
void put_second_compaction(OpencodeMessage& message, const Json& data) {
  std::string summary = string_at(data, "summary");
  if (summary.empty() || string_at(data, "status", "completed") != "completed") return;
  if (const std::string recent = string_at(data, "recent"); !recent.empty())
    summary += "\n\n" + recent;
  add_text_part(message, std::move(summary));
}

std::string second_command(const Json& data) {
  const Json& output = at(data, "output");
  const Json& exit = at(data, "exit");
  return ran_command(
      string_at(data, "command"),
      output.is_string() ? output.get<std::string>() : string_at(output, "output"),
      exit.is_number_integer() ? std::optional(exit.get<std::int64_t>()) : std::nullopt);
}

}  // namespace

std::optional<OpencodeMessage> as_first_opencode(OpencodeMessage message, const std::string& type) {
  if (!message.data.is_object()) return std::nullopt;
  const Json data = std::exchange(message.data, Json{{"role", "user"}});
  if (type == "user") {
    put_second_user(message, data);
  } else if (type == "synthetic" || type == "skill") {
    add_text_part(message, string_at(data, "text"), true);
  } else if (type == "system") {
    message.data["system"] = at(data, "text");
  } else if (type == "shell") {
    add_text_part(message, second_command(data));
  } else if (type == "assistant" || type == "compaction") {
    message.data = data;
    message.data["role"] = "assistant";
    message.data["summary"] = type == "compaction";
    type == "assistant" ? put_second_answer(message, data) : put_second_compaction(message, data);
  } else if (type == "model-switched") {
    message.data = data;
    message.data["role"] = type;
  } else if (type == "idle" || type == "agent-switched" || type == "location-switched") {
    return std::nullopt;
  } else {
    message.data["role"] = type;  // the reader says that it does not know it
  }
  return message;
}

}  // namespace skein::exchange::importers
