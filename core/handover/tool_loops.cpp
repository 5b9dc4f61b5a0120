#include "core/handover/tool_loops.h"

#include <algorithm>
#include <cstddef>

#include "core/text/request_text.h"

namespace skein::handover {

namespace {

bool says_something(const model::Message& message) {
  return std::ranges::any_of(message.content, [](const model::Block& block) {
    const auto* text = std::get_if<model::Text>(&block);
    return std::holds_alternative<model::Image>(block) || (text && !is_blank(text->text));
  });
}

bool makes_calls(const model::Message& message) {
  return std::ranges::any_of(message.content, [](const model::Block& block) {
    return std::holds_alternative<model::ToolUse>(block);
  });
}

}  // namespace

bool is_unfinished(const model::Message& message) {
  return message.stop == model::Stop::aborted || message.stop == model::Stop::interrupted ||
         message.stop == model::Stop::error;
}

std::vector<bool> unended_loops(const std::vector<model::Message>& messages) {
  std::vector<bool> out(messages.size(), false);
  std::size_t first = 0;                 // of the replies of one author with no prompt between
  const model::Message* last = nullptr;  // of those
  bool called = false;
  const auto close = [&](std::size_t end, bool by_another) {
    if (last != nullptr && called && (by_another || makes_calls(*last) || is_unfinished(*last)))
      for (std::size_t i = first; i < end; ++i) out[i] = messages[i].role == model::Role::assistant;
    last = nullptr;
    called = false;
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const model::Message& message = messages[i];
    if (message.role == model::Role::user && says_something(message)) close(i, false);
    if (message.role != model::Role::assistant) continue;
    if (last != nullptr && (last->provider != message.provider || last->model != message.model))
      close(i, true);
    if (last == nullptr) first = i;
    last = &message;
    called = called || makes_calls(message);
  }
  close(messages.size(), false);
  return out;
}

}  // namespace skein::handover
