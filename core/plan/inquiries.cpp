#include "core/plan/inquiries.h"

#include <optional>
#include <utility>

#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::plan {

namespace {

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

ReadInquiries read_inquiries(const JsonText& input) {
  const std::optional<Json> json = parse_json(input);
  if (!json || !at(*json, "questions").is_array() || at(*json, "questions").empty())
    return {.complaint = "`questions` is missing or not a list"};
  if (at(*json, "questions").size() > most_questions)
    return {.complaint = "at most four questions can be asked at once"};
  ReadInquiries out;
  for (const Json& each : at(*json, "questions")) {
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
