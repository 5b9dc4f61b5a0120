#include "core/plan/presented.h"

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

// What follows "1. ", "1) ", "- [ ] " or "* [x] " at the start of a line; without a text: something
// else does. A plain "-" is as often a remark as a step.
TodoItem step_in(std::string_view line) {
  using State = TodoItem::State;
  const std::size_t digits = line.find_first_not_of("0123456789");
  const std::string_view rest = line.substr(std::min(digits, line.size()));
  if (digits > 0 && digits <= 3 && (rest.starts_with(". ") || rest.starts_with(") ")))
    return {State::pending, std::string(trimmed(rest.substr(2)))};
  if (line.size() < 6 || std::string_view("-*+").find(line[0]) == std::string_view::npos) return {};
  const std::string_view box = line.substr(1, 5);
  const bool done = box == " [x] " || box == " [X] ";
  if (!done && box != " [ ] ") return {};
  return {done ? State::done : State::pending, std::string(trimmed(line.substr(6)))};
}

constexpr std::size_t most_questions = 4, least_options = 2, most_options = 4;
constexpr std::size_t header_bytes = 24, label_bytes = 120, text_bytes = 2000;

std::string cut_to(std::string_view text, std::size_t bytes) {
  const std::string_view whole = trimmed(text);
  return std::string(utf8_prefix(whole, bytes)) + (whole.size() > bytes ? "…" : "");
}

model::Inquiry::Option option_in(const Json& json) {
  if (json.is_string()) return {cut_to(json.get<std::string>(), label_bytes)};
  return {cut_to(string_at(json, "label"), label_bytes),
          cut_to(string_at(json, "description"), text_bytes)};
}

model::Inquiry inquiry_in(const Json& json) {
  model::Inquiry out{.question = cut_to(string_at(json, "question"), text_bytes),
                     .header = cut_to(string_at(json, "header"), header_bytes),
                     .multiple = bool_at(json, "multiple") || bool_at(json, "multiSelect")};
  for (const Json& option : at(json, "options")) out.options.push_back(option_in(option));
  return out;
}

std::string wrong_with(const model::Inquiry& asked) {
  if (asked.question.empty()) return "every question needs a `question`";
  if (asked.options.size() < least_options || asked.options.size() > most_options)
    return "every question needs two to four `options`; the user can always say something else";
  for (const model::Inquiry::Option& option : asked.options)
    if (option.label.empty()) return "every option needs a `label`";
  return {};
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
    TodoItem step = fenced ? TodoItem{} : step_in(line);
    if (step.text.empty()) continue;
    for (std::size_t bold = 0; (bold = step.text.find("**")) != std::string::npos;)
      step.text.erase(bold, 2);
    out.push_back(std::move(step));
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
  const Json meta = parse_json(entry.meta).value_or(Json());
  const Json& plan = at(meta, plan_member);
  if (!plan.is_object()) return std::nullopt;
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
    // Without a word there is nothing to work on.
    if (review.text.empty()) out.decided.ends_turn = model::Stop::stop;
    return out;
  }
  const model::Plan agreed{title_of(plan), review.text};
  const std::string changed =
      agreed.text == plan.text ? "" : " after changing it. This is the plan now:\n\n" + agreed.text;
  const bool fresh = review.verdict == Verdict::fresh;
  model::ToolOutcome out = model::tool_text(
      "approved" + (changed.empty() ? (fresh ? "; " : ". ") : changed + "\n\n") +
      (fresh ? "the user starts the work in a new branch that contains only the plan"
             : "Plan mode is over: carry the plan out now."));
  out.meta = approval_meta(agreed);
  out.decided.mode = review.verdict == Verdict::accept_edits ? "acceptEdits" : "default";
  out.decided.title = agreed.title;
  if (fresh) {
    out.decided.ends_turn = model::Stop::stop;
    out.decided.new_branch_prompt =
        "Carry out this plan, which I have approved. Read the files it names first.\n\n" +
        agreed.text;
  }
  return out;
}

ReadInquiries read_inquiries(const JsonText& input) {
  const Json json = parse_json(input).value_or(Json());
  const Json& questions = at(json, "questions");
  if (!questions.is_array() || questions.empty())
    return {.complaint = "`questions` is missing or not a list"};
  if (questions.size() > most_questions)
    return {.complaint = "at most four questions can be asked at once"};
  ReadInquiries out;
  for (const Json& each : questions) {
    model::Inquiry asked = inquiry_in(each);
    if (std::string wrong = wrong_with(asked); !wrong.empty())
      return {.complaint = std::move(wrong)};
    out.questions.push_back(std::move(asked));
  }
  return out;
}

std::string answer_line(const model::Inquiry& question, const std::string& answer) {
  return question.question + "\n→ " + answer + "\n";
}

}  // namespace skein::plan
