#include "core/handover/tool_loops.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/text/request_text.h"

namespace skein::handover {

namespace {

bool says_something(const model::Message& message) {
  return std::ranges::any_of(message.content, [](const model::Block& block) {
    const auto* text = std::get_if<model::Text>(&block);
    return std::holds_alternative<model::Image>(block) || (text && !is_blank(text->text));
  });
}

// The replies of one author with no prompt between them.
class Loop {
 public:
  explicit Loop(std::size_t the_first) : first(the_first) {}

  void add(const model::Message& reply) {
    last_ = &reply;
    results_last_ = false;
    for (const model::ToolUse* call : model::tool_uses(reply)) waiting_.push_back(call->id);
    called_ = called_ || !waiting_.empty();
  }
  // Replies without a result between them are one reply, and end nothing if there is a call in it.
  void add_results(const model::Message& message) {
    for (const model::Block& block : message.content)
      if (const auto* result = std::get_if<model::ToolResult>(&block);
          result && std::ranges::find(waiting_, result->tool_use_id) != waiting_.end()) {
        waiting_.clear();
        results_last_ = true;
      }
  }

  bool is_of(const model::Message& reply) const {
    return last_->provider == reply.provider && last_->model == reply.model;
  }
  bool called() const { return called_; }
  // An answer that nothing is left of ends nothing: what was said last are the results before it.
  // Nor does one that was said before the results.
  bool ended() const {
    return waiting_.empty() && !results_last_ && !is_calling() && says_something(*last_);
  }

  const std::size_t first;

 private:
  bool is_calling() const { return is_unfinished(*last_) || !model::tool_uses(*last_).empty(); }

  const model::Message* last_ = nullptr;
  std::vector<std::string_view> waiting_{};  // the calls since the last result
  bool called_ = false;
  bool results_last_ = false;
};

}  // namespace

bool is_unfinished(const model::Message& message) {
  return message.stop == model::Stop::aborted || message.stop == model::Stop::interrupted ||
         message.stop == model::Stop::error;
}

std::vector<bool> unended_loops(const std::vector<model::Message>& messages) {
  std::vector<bool> out(messages.size(), false);
  std::optional<Loop> loop;
  const auto close = [&](std::size_t end, bool by_another) {
    if (loop && loop->called() && (by_another || !loop->ended()))
      for (std::size_t i = loop->first; i < end; ++i)
        out[i] = messages[i].role == model::Role::assistant;
    loop.reset();
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const model::Message& message = messages[i];
    if (loop && message.role != model::Role::assistant) loop->add_results(message);
    if (message.role == model::Role::user && says_something(message)) close(i, false);
    if (message.role != model::Role::assistant) continue;
    if (loop && !loop->is_of(message)) close(i, true);
    if (!loop) loop.emplace(i);
    loop->add(message);
  }
  close(messages.size(), false);
  return out;
}

}  // namespace skein::handover
