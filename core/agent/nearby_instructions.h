// Instructions that hold where a tool has just been: they come with its result, once on each path,
// since the system prompt of a session is never changed.
#pragma once

#include <optional>
#include <string>

#include "core/agent/turn.h"

namespace skein::agent {

class NearbyInstructions {
 public:
  // `parts` must outlive this.
  explicit NearbyInstructions(const Parts& parts) : parts_(parts) {}

  // Adds to the outcome what the model has not been told yet, and to its meta that it has now.
  // `place`: what the call was about, if that is a file in the workspace. Tells the user.
  void attach(const Turn& turn, const model::Tool& tool, const std::optional<std::string>& place,
              model::ToolOutcome& outcome) const;

 private:
  const Parts& parts_;
};

}  // namespace skein::agent
