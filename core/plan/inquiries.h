// The questions a model has for the user, read from its call and put into its result.
#pragma once

#include <string>
#include <vector>

#include "core/model/inquiry.h"
#include "core/text/base.h"

namespace skein::plan {

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
