#include "core/model/delegation.h"

namespace skein::model {

std::string handing_on(std::string_view agent, std::string_view task) {
  return "Give this task to the agent `" + std::string(agent) +
         "` with your tool `agent`, and answer with what it reports:\n\n" + std::string(task);
}

}  // namespace skein::model
