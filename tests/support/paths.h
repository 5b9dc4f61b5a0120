// Messages as entries of a path, for tests of what a model sees.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/entry.h"

namespace skein::test {

inline void follow(std::vector<Entry>& path, Entry entry) {
  entry.parent = path.empty() ? std::nullopt : std::optional<Id>(path.back().id);
  path.push_back(std::move(entry));
}

inline std::vector<Entry> path_of(const std::vector<Message>& messages) {
  std::vector<Entry> path;
  for (const Message& message : messages) follow(path, message_entry(message));
  return path;
}

inline Message answers(const std::string& text, std::vector<ToolUse> calls = {}) {
  Message message{.role = Role::assistant, .content = {Text{text}}};
  for (ToolUse& call : calls) message.content.emplace_back(std::move(call));
  message.provider = "anthropic";
  message.model = "claude";
  message.stop = message.content.size() > 1 ? Stop::tool_use : Stop::stop;
  return message;
}

inline Message result_of(const std::string& id, const std::string& text) {
  return {.role = Role::tool, .content = {ToolResult{id, {Text{text}}}}};
}

}  // namespace skein::test
