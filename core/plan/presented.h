// What a model presents to the user: a plan to be reviewed, and questions with answers to choose
// from.
#pragma once

#include "core/model/entry.h"
#include "core/model/event.h"
#include "core/model/tool.h"
#include "core/plan/todo_list.h"
#include "core/text/base.h"

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

// The questions a model has for the user, read from its call and put into its result.
struct ReadInquiries {
  std::vector<model::Inquiry> questions{};
  std::string complaint{};  // for the model; empty: they were understood
};
// One to four questions of two to four options each, in our words or in those of other agents'
// tools.
ReadInquiries read_inquiries(const JsonText& input);

// The question and what the user said to it, for the model.
std::string answer_line(const model::Inquiry& question, const std::string& answer);

}  // namespace skein::plan
