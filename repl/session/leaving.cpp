#include "repl/session/leaving.h"

#include <optional>
#include <string>

#include "core/text/amounts.h"

namespace skein::session {

// An agent cannot go on without skein.
model::Inquiry Leaving::question(std::size_t jobs, std::size_t agents) const {
  const std::size_t all = jobs + agents;
  std::string what = jobs > 0 ? counted(jobs, "job") : "";
  if (agents > 0) what += (what.empty() ? "" : " and ") + counted(agents, "agent");
  model::Inquiry out{.question = what + (all == 1 ? " still runs" : " still run") +
                                 "; what is to become of " + (all == 1 ? "it" : "them") + "?",
                     .options = {{"stop", "and leave"}}};
  if (jobs > 0 && services_.can_keep_jobs)
    out.options.push_back({"keep", agents == 0
                                       ? "running without skein, and leave"
                                       : std::string(jobs == 1 ? "the job" : "the jobs") +
                                             " running without skein, stop the " +
                                             (agents == 1 ? "agent" : "agents") + ", and leave"});
  out.options.push_back({"cancel", "and stay here"});
  return out;
}

bool Leaving::settle(const std::atomic<bool>& signalled) const {
  const std::size_t jobs = services_.running_jobs(), agents = services_.agents_working();
  if (jobs + agents == 0) return true;
  std::optional<std::string> answer = "stop";
  if (input_.can_ask() && !signalled) {
    answer = input_.inquire(question(jobs, agents));
    // Lines that have ended cannot be asked again.
    if (!answer && input_.keyboard() == nullptr) answer = "stop";
  }
  if (!signalled && answer != "stop" && answer != "keep") return false;
  screen_.print_untrusted(services_.leave_work(answer == "keep") + "\n");
  return true;
}

}  // namespace skein::session
