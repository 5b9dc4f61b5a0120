// The jobs of an invocation: where they are written down, who hears of them, what the prompt shows.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/news.h"
#include "core/agent/conversation.h"
#include "core/jobs/jobs.h"
#include "core/tools/sandbox/private_temporary.h"
#include "repl/session/services.h"

namespace skein::app {

class BackgroundJobs {
 public:
  struct Parts {
    News& news;
    std::string folder{};  // where another skein finds them; empty: nowhere
    std::function<std::string(std::string)> clean{};
    bool wake = false;  // the model is asked to go on when one ends
  };
  explicit BackgroundJobs(Parts parts);
  BackgroundJobs(const BackgroundJobs&) = delete;
  BackgroundJobs& operator=(const BackgroundJobs&) = delete;

  const std::shared_ptr<jobs::Jobs>& jobs() const { return jobs_; }  // the tools have it too
  std::size_t running() const { return jobs_->running(); }
  // What an earlier skein left of a session's: what has ended is news, of what runs there is a line
  // each.
  std::vector<std::string> take_up(const agent::Conversation& conversation);
  // Ends those that run, or leaves them running, and says so; empty: none did.
  std::string leave(bool keep);
  void offer(session::Services& services);

 private:
  void note_end(Id session, const jobs::Record& job, const std::string& report);

  Parts parts_;
  tools::sandbox::PrivateTemporary temporary_{};
  std::shared_ptr<jobs::Jobs> jobs_;
};

}  // namespace skein::app
