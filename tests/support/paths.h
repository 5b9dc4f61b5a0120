// Messages as entries of a path, for tests of what a model sees.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/entry.h"

namespace skein::test {

inline void follow(std::vector<model::Entry>& path, model::Entry entry) {
  entry.parent = path.empty() ? std::nullopt : std::optional<Id>(path.back().id);
  path.push_back(std::move(entry));
}

inline std::vector<model::Entry> path_of(const std::vector<model::Message>& messages) {
  std::vector<model::Entry> path;
  for (const model::Message& message : messages) follow(path, model::message_entry(message));
  return path;
}

inline model::Message answers(const std::string& text, std::vector<model::ToolUse> calls = {}) {
  model::Message message{.role = model::Role::assistant, .content = {model::Text{text}}};
  for (model::ToolUse& call : calls) message.content.emplace_back(std::move(call));
  message.provider = "anthropic";
  message.model = "claude";
  message.stop = message.content.size() > 1 ? model::Stop::tool_use : model::Stop::stop;
  return message;
}

inline model::Message result_of(const std::string& id, const std::string& text) {
  return {.role = model::Role::tool, .content = {model::ToolResult{id, {model::Text{text}}}}};
}

}  // namespace skein::test
