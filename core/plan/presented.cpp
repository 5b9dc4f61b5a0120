#include "core/plan/presented.h"

#include <utility>

#include "core/model/message.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::plan {

namespace {

using Verdict = model::PlanReview::Verdict;

constexpr std::size_t title_bytes = 60;
constexpr const char* plan_member = "plan";

std::string_view without_marks(std::string_view line) {
  while (line.starts_with('#') || line.starts_with(' ')) line.remove_prefix(1);
  return trimmed(line, " \t\r*_");
}

bool is_fence(std::string_view line) {
  line = trimmed(line, " ");
  return line.starts_with("```") || line.starts_with("~~~");
}

// What follows "1. ", "1) ", "- [ ] " or "* [x] " at the start of a line; none: something else
// does. A plain "-" is as often a remark as a step.
std::optional<TodoItem> step_in(std::string_view line) {
  const auto item = [](std::string_view text, TodoItem::State state) {
    return std::optional(TodoItem{state, std::string(trimmed(text))});
  };
  const std::size_t digits = line.find_first_not_of("0123456789");
  if (digits > 0 && digits <= 3 && digits != std::string_view::npos) {
    const std::string_view rest = line.substr(digits);
    if (rest.starts_with(". ") || rest.starts_with(") "))
      return item(rest.substr(2), TodoItem::State::pending);
  }
  for (const std::string_view mark : {"- [ ] ", "* [ ] ", "+ [ ] "})
    if (line.starts_with(mark)) return item(line.substr(mark.size()), TodoItem::State::pending);
  for (const std::string_view mark : {"- [x] ", "* [x] ", "+ [x] ", "- [X] ", "* [X] ", "+ [X] "})
    if (line.starts_with(mark)) return item(line.substr(mark.size()), TodoItem::State::done);
  return std::nullopt;
}

std::string plain(std::string_view step) {
  std::string out;
  for (std::size_t i = 0; i < step.size(); ++i)
    if (step.substr(i, 2) == "**")
      ++i;
    else
      out += step[i];
  return out;
}

}  // namespace

std::string title_of(const model::Plan& plan) {
  std::string_view title = trimmed(plan.title);
  if (title.empty())
    for (const std::string_view line : split(plan.text, '\n'))
      if (title = without_marks(line); !title.empty()) break;
  std::string out(utf8_prefix(title, title_bytes));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return out + (title.size() > title_bytes ? "…" : "");
}

TodoList steps_of(const std::string& markdown) {
  TodoList out;
  bool fenced = false;
  for (const std::string_view line : split(markdown, '\n')) {
    if (is_fence(line)) fenced = !fenced;
    if (fenced) continue;
    if (std::optional<TodoItem> step = step_in(line); step && !step->text.empty()) {
      step->text = plain(step->text);
      out.push_back(*std::move(step));
    }
  }
  return tidy(std::move(out));
}

JsonText approval_meta(const model::Plan& plan) {
  Json meta = Json::object();
  if (const TodoList steps = steps_of(plan.text); !steps.empty())
    meta = parse_json(todo_meta(steps)).value_or(Json::object());
  meta[plan_member] = {{"title", title_of(plan)}, {"text", plan.text}};
  return dump(meta);
}

std::optional<model::Plan> approved_in(const model::Entry& entry) {
  if (entry.meta.find("\"plan\"") == JsonText::npos) return std::nullopt;
  const std::optional<Json> meta = parse_json(entry.meta);
  if (!meta || !at(*meta, plan_member).is_object()) return std::nullopt;
  const Json& plan = at(*meta, plan_member);
  return model::Plan{string_at(plan, "title"), string_at(plan, "text")};
}

std::optional<model::Plan> presented_in(const model::Entry& entry) {
  if (entry.payload.find(present_tool) == JsonText::npos) return std::nullopt;
  const std::optional<model::Message> message = model::message_of(entry);
  if (!message || message->role != model::Role::assistant) return std::nullopt;
  std::optional<model::Plan> out;
  for (const model::ToolUse* call : model::tool_uses(*message)) {
    if (call->name != present_tool) continue;
    const Json input = parse_json(call->input).value_or(Json::object());
    if (std::string text = string_at(input, "plan"); !text.empty())
      out = model::Plan{string_at(input, "title"), std::move(text)};
  }
  return out;
}

model::ToolOutcome outcome_of(const model::Plan& plan, const model::PlanReview& review) {
  if (review.verdict == Verdict::not_yet) {
    model::ToolOutcome out =
        model::tool_text("the user does not want this plan carried out yet; plan mode stays on" +
                         (review.text.empty() ? std::string{} : ". They say: " + review.text));
    // Without a word there is nothing to go on with.
    if (review.text.empty()) out.decided.ends_turn = model::Stop::stop;
    return out;
  }
  const model::Plan agreed{title_of(plan), review.text};
  const std::string changed =
      agreed.text == plan.text ? "" : " after changing it. This is the plan now:\n\n" + agreed.text;
  model::ToolOutcome out = model::tool_text(
      review.verdict == Verdict::fresh
          ? "approved" + changed + (changed.empty() ? "; " : "\n\n") +
                "the user has the work begin in a fresh branch, which has only the plan"
          : "approved" + changed + (changed.empty() ? ". " : "\n\n") +
                "Plan mode is over: carry the plan out now.");
  out.meta = approval_meta(agreed);
  out.decided.mode = review.verdict == Verdict::accept_edits ? "acceptEdits" : "default";
  out.decided.title = agreed.title;
  if (review.verdict == Verdict::fresh) {
    out.decided.ends_turn = model::Stop::stop;
    out.decided.anew =
        "Carry out this plan, which I have approved. Read the files it names first.\n\n" +
        agreed.text;
  }
  return out;
}

}  // namespace skein::plan
