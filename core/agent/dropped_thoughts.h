// What a service left out of a request of its own accord, in words for the user.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/model/entry.h"
#include "core/model/message.h"
#include "core/model/provider.h"

namespace skein::agent {

// What is new since `before`; empty: nothing that the user should know. It comes with every answer
// from then on, so it is said only when there is more of it.
std::string news_of_dropped(const std::vector<model::Transformation>& before,
                            const std::vector<model::Transformation>& now);

// What was reported with this model's last answer on a path.
std::vector<model::Transformation> last_transformed(std::span<const model::Entry> path,
                                                    const model::ModelRef& model);

}  // namespace skein::agent
