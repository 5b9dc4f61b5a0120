// Tells the model and the user of what has ended in the background, jobs and sub-agents: the model
// with its next request (Inbox), the user at the prompt. It belongs to a session, so whoever is in
// another one hears of it when they come back. It may be told from any thread.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/agent/inbox.h"
#include "core/text/base.h"

namespace skein::app {

class News {
 public:
  explicit News(agent::Inbox& inbox) : inbox_(inbox) {}

  struct Item {
    std::string about{};  // "job:3", "agent:…"
    model::Entry entry{};
    std::string notice{};  // a line; empty: the user knows
    bool wakes = false;    // the model is asked to go on if the user is at an empty prompt
  };
  void enter(Id session);
  void put(Id session, Item item);
  void tell(const std::string& notice);  // the user alone, in whatever session; empty: nothing
  // The model knows by now.
  void seen(Id session, const std::string& about);
  // Lines for the user, once; empty: there is nothing to tell.
  struct Notices {
    std::string text{};
    bool wake = false;
  };
  Notices take_notices();
  bool has_notices() const;

 private:
  agent::Inbox& inbox_;
  mutable std::mutex mutex_{};
  std::optional<Id> entered_{};
  std::string told_{};
  std::map<Id, std::vector<Item>> items_{};
};

}  // namespace skein::app
