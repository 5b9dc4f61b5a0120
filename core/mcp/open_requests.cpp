#include "core/mcp/open_requests.h"

#include <utility>

#include "core/mcp/rpc.h"

namespace skein::mcp {

void OpenRequests::open(std::int64_t id) {
  const std::lock_guard hold(lock_);
  pending_[id];
}

void OpenRequests::close(std::int64_t id) {
  const std::lock_guard hold(lock_);
  pending_.erase(id);
}

bool OpenRequests::any() const {
  const std::lock_guard hold(lock_);
  return !pending_.empty();
}

bool OpenRequests::settle(std::int64_t id, Reply reply) {
  const std::lock_guard hold(lock_);
  const auto found = pending_.find(id);
  if (found == pending_.end() || found->second.reply) return false;
  found->second.reply = std::move(reply);
  return true;
}

void OpenRequests::settle_all(const Reply& reply) {
  const std::lock_guard hold(lock_);
  questions_.clear();
  for (auto& [id, each] : pending_)
    if (!each.reply) each.reply = reply;
}

bool OpenRequests::progress(std::int64_t id, const std::string& text) {
  constexpr std::size_t most = 2u << 10;
  const std::lock_guard hold(lock_);
  const auto found = pending_.find(id);
  if (found == pending_.end()) return false;
  found->second.moved = true;
  // One that reports faster than it is read is not remembered for ever.
  if (found->second.progress.size() < most) found->second.progress += text;
  return true;
}

OpenRequests::Look OpenRequests::look(std::int64_t id) {
  const std::lock_guard hold(lock_);
  Pending& pending = pending_[id];
  return {pending.reply, std::exchange(pending.progress, {}), std::exchange(pending.moved, false)};
}

void OpenRequests::ask(std::shared_ptr<const rpc::Message> question) {
  constexpr std::size_t most = 20;
  const std::lock_guard hold(lock_);
  if (questions_.size() < most) questions_.push_back(std::move(question));
}

std::shared_ptr<const rpc::Message> OpenRequests::next_question() {
  const std::lock_guard hold(lock_);
  if (questions_.empty()) return nullptr;
  auto out = std::move(questions_.front());
  questions_.pop_front();
  return out;
}

}  // namespace skein::mcp
