// What a sub-agent works with: an Application of its own.
#pragma once

#include <memory>

#include "app/application.h"
#include "core/subagents/crew.h"

namespace skein::app {

// To be called in the thread that works.
std::unique_ptr<subagents::Worker> make_worker(const Invocation& invocation,
                                               const project::Places& places, const Helper& helper,
                                               const subagents::Order& order);

}  // namespace skein::app
