#include "core/agent/first_token.h"

#include <algorithm>
#include <variant>

namespace skein::agent {

namespace {

bool says_something(const model::Delta& delta) {
  return std::holds_alternative<model::delta::TextPiece>(delta) ||
         std::holds_alternative<model::delta::ThinkingPiece>(delta) ||
         std::holds_alternative<model::delta::ToolStart>(delta);
}

}  // namespace

void FirstToken::see(const model::Event& event, Clock::time_point now) {
  if (const auto* retrying = std::get_if<model::Retrying>(&event)) {
    asked_ = now + retrying->wait;
    after_ms_ = 0;
  }
  const auto* streaming = std::get_if<model::Streaming>(&event);
  if (streaming == nullptr || after_ms_ > 0 || !says_something(streaming->delta)) return;
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - asked_);
  after_ms_ = std::max<std::int64_t>(1, passed.count());
}

}  // namespace skein::agent
