// What comes for the model while it works or between its turns: the user's word in the middle of a
// turn, a job that ended, what a sub-agent found. It is saved and sent with the next request,
// behind the results of tools and before a prompt. Any thread may put something in.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "core/model/entry.h"

namespace skein::agent {

// A message by skein itself, which is no prompt; `origin` names who has it to say: "job:3".
model::Entry news(const std::string& text, const std::string& origin);

class Inbox {
 public:
  void put(model::Entry message);
  // Everything that has come, oldest first. It is handed out once.
  std::vector<model::Entry> take();
  // Takes back what has not been handed out yet: whoever gets true will never see it sent.
  bool take_back(Id message);
  bool empty() const;

 private:
  mutable std::mutex mutex_{};
  std::vector<model::Entry> messages_{};
};

}  // namespace skein::agent
