#include "core/agent/inbox.h"

#include <utility>

#include "core/model/message.h"
#include "core/text/json.h"

namespace skein::agent {

model::Entry news(const std::string& text, const std::string& origin) {
  model::Message message = model::user_message(text);
  message.continuation = true;
  model::Entry entry = model::message_entry(message);
  entry.meta = dump({{"origin", origin}});
  return entry;
}

void Inbox::put(model::Entry message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(std::move(message));
}

std::vector<model::Entry> Inbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(messages_, {});
}

bool Inbox::take_back(Id message) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(messages_, [&](const model::Entry& each) { return each.id == message; }) > 0;
}

bool Inbox::empty() const {
  const std::lock_guard lock(mutex_);
  return messages_.empty();
}

}  // namespace skein::agent
