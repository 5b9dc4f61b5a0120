// A message that has a model hand a task on to another agent.
#pragma once

#include <string>
#include <string_view>

namespace skein::model {

std::string handing_on(std::string_view agent, std::string_view task);

}  // namespace skein::model
