// Plan mode as the model meets it. That nothing is changed is up to core/permission; here messages
// inform the model of the mode, and another model may answer while it lasts.
#pragma once

#include "core/agent/turn.h"

namespace skein::agent {

class PlanMode {
 public:
  // `parts` must outlive this.
  explicit PlanMode(const Parts& parts) : parts_(parts) {}

  static constexpr const char* name = "plan mode";  // among the changes that are reported
  // Whether the last message about it on this path is that the mode is on.
  static bool is_known(std::span<const model::Entry> path);
  // The message from which the model learns whether it is: one entry or none. `can_present`: it has
  // the tool that presents a plan.
  static std::vector<model::Entry> news(bool known, bool is_on, bool can_present);

  // Before each call of a model: the one that is to answer in this mode.
  void choose_model(Turn& turn);
  // The turn is over: the model is the chosen one again.
  static void end(Turn& turn);

 private:
  void hand_over(Turn& turn, const model::ModelRef& model, const std::string& what) const;

  const Parts& parts_;
  std::set<Id> informed_{};  // sessions whose user knows that another model answers
};

}  // namespace skein::agent
