// Tells the model and the user of jobs that have ended: the model with its next request (Inbox),
// the user at the prompt. A job belongs to a session, so whoever is in another one hears of it when
// they come back. Jobs tell from threads of their own.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/agent/inbox.h"
#include "core/jobs/record.h"
#include "core/text/base.h"

namespace skein::app {

class JobNews {
 public:
  explicit JobNews(agent::Inbox& inbox) : inbox_(inbox) {}

  void enter(Id session);
  void ended(Id session, const jobs::Record& job, const std::string& report);
  // The model knows by now.
  void seen(Id session, int job);
  // Lines for the user, once; empty: there is nothing to tell.
  std::string take_notices();
  bool has_notices() const;

 private:
  struct Item {
    int job = 0;
    model::Entry entry{};
    std::string notice{};  // empty: the user knows
  };
  agent::Inbox& inbox_;
  mutable std::mutex mutex_{};
  std::optional<Id> entered_{};
  std::map<Id, std::vector<Item>> items_{};
};

}  // namespace skein::app
