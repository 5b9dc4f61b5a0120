#include "core/mcp/call_queue.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/mcp/rpc.h"
#include "core/text/quiet_thread.h"

namespace skein::mcp {

CallQueue::CallQueue(std::size_t at_once) {
  threads_.reserve(at_once);
  try {
    while (threads_.size() < at_once)
      threads_.push_back(quiet_thread([this, wake = Signal()] { work(wake); }));
  } catch (const std::runtime_error& error) {  // fewer threads are enough
    if (threads_.empty()) throw Error(std::string("cannot run slow tools: ") + error.what());
  }
}

CallQueue::~CallQueue() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  cancel_if([](const Entry&) { return true; });
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CallQueue::add(Call call) {
  {
    const std::lock_guard lock(mutex_);
    calls_.emplace_back().call = std::move(call);
  }
  changed_.notify_one();
}

void CallQueue::cancel(const JsonText& id) {
  cancel_if([&](const Entry& entry) { return entry.call.id == id; });
}

void CallQueue::cancel_if(const std::function<bool(const Entry&)>& chosen) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : calls_) {
    if (!chosen(entry)) continue;
    entry.cancelled = true;
    if (entry.wake) entry.wake->raise();
  }
  std::erase_if(calls_, [](const Entry& entry) { return entry.cancelled && !entry.wake; });
}

bool CallQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return calls_.empty();
}

std::vector<JsonText> CallQueue::responses() {
  const std::lock_guard lock(mutex_);
  ended_.clear();
  return std::exchange(responses_, {});
}

std::vector<JsonText> CallQueue::progress() {
  const std::lock_guard lock(mutex_);
  std::vector<JsonText> out;
  for (Entry& entry : calls_)
    if (const Json token = parse_json(entry.call.progress_token).value_or(nullptr);
        !token.is_null() && !entry.cancelled)
      out.push_back(rpc::notification("notifications/progress",
                                      {{"progressToken", token},
                                       {"progress", ++entry.reports},
                                       {"message", entry.wake ? "running" : "waiting"}}));
  return out;
}

// The first that waits and has no earlier call of its series before it.
std::list<CallQueue::Entry>::iterator CallQueue::next() {
  std::set<std::string_view> taken;
  return std::ranges::find_if(calls_, [&](const Entry& entry) {
    const std::string& series = entry.call.series;
    const bool first = series.empty() || taken.insert(series).second;
    return first && !entry.wake;
  });
}

void CallQueue::work(const Signal& wake) {
  std::unique_lock lock(mutex_);
  for (;;) {
    auto entry = calls_.end();
    changed_.wait(lock, [&] { return leaving_ || (entry = next()) != calls_.end(); });
    if (leaving_) return;
    entry->wake = &wake;
    lock.unlock();
    // Asking clears the descriptor, or the wait for the end of a cancelled call would not wait.
    JsonText response = entry->call.run({.asked =
                                             [&] {
                                               wake.clear();
                                               return entry->cancelled.load();
                                             },
                                         .wake_fd = wake.fd()});
    lock.lock();
    if (!entry->cancelled) responses_.push_back(std::move(response));
    calls_.erase(entry);
    ended_.raise();
    changed_.notify_all();  // the next of its series may run now
  }
}

}  // namespace skein::mcp
