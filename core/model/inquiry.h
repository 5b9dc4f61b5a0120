// What the model wants the user to decide: a question of its own, or what becomes of its plan. All
// texts in it are the model's.
#pragma once

#include <string>
#include <vector>

namespace skein::model {

struct Inquiry {
  struct Option {
    std::string label;
    std::string description{};
    bool operator==(const Option&) const = default;
  };
  std::string question;
  std::string header{};  // a word or two; may be empty
  std::vector<Option> options{};
  bool multiple = false;  // several of them may be chosen
  bool operator==(const Inquiry&) const = default;
};

struct Plan {
  std::string title{};
  std::string text{};  // Markdown
  bool operator==(const Plan&) const = default;
};

struct PlanReview {
  enum class Verdict {
    not_yet,
    carry_out,
    accept_edits,  // carry it out, and let edits run unasked
    fresh,         // carry it out where nothing but the plan is known
  } verdict = Verdict::not_yet;
  std::string text{};  // the plan as the user left it; with not_yet: a word to the model
};

}  // namespace skein::model
