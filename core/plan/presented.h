// A plan that was presented to the user: what becomes of it, and what is kept of it on the path.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/entry.h"
#include "core/model/inquiry.h"
#include "core/model/tool.h"
#include "core/plan/todo_list.h"

namespace skein::plan {

inline constexpr std::string_view present_tool = "present_plan";  // its name

// The title it was given, else its first heading or line.
std::string title_of(const model::Plan& plan);
// What the user sees of it at the top: numbered items and those with a box, as a list.
TodoList steps_of(const std::string& markdown);

// The result of the call that presented it. `plan` is as the model wrote it.
model::ToolOutcome outcome_of(const model::Plan& plan, const model::PlanReview& review);

// The plan that was approved with this entry, as the user left it; none: it is something else.
std::optional<model::Plan> approved_in(const model::Entry& entry);

// The plan that the model presented with this entry, as it wrote it.
std::optional<model::Plan> presented_in(const model::Entry& entry);

// For the prompt of a branch in which nothing was said but the plan.
JsonText approval_meta(const model::Plan& plan);

}  // namespace skein::plan
