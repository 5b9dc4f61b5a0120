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

void Inbox::put(model::Entry message, std::optional<Id> session) {
  const std::lock_guard lock(mutex_);
  messages_.push_back({std::move(message), session});
}

std::vector<model::Entry> Inbox::take(std::optional<Id> session) {
  const std::lock_guard lock(mutex_);
  std::vector<model::Entry> out;
  std::vector<Waiting> others;
  for (Waiting& each : messages_) {
    if (!each.session || !session || each.session == session)
      out.push_back(std::move(each.message));
    else
      others.push_back(std::move(each));
  }
  messages_ = std::move(others);
  return out;
}

bool Inbox::take_back(Id message) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(messages_, [&](const Waiting& each) { return each.message.id == message; }) > 0;
}

bool Inbox::empty() const {
  const std::lock_guard lock(mutex_);
  return messages_.empty();
}

}  // namespace skein::agent
