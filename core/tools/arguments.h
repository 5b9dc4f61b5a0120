// What the tools share when they take a call apart: its checked arguments and its title.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/model/tool.h"

namespace skein::tools {

// A call's input, checked: required members are there, strings are strings, numbers are whole and
// not negative. The first complaint is kept, as a sentence for the model.
class Arguments {
 public:
  explicit Arguments(const JsonText& input);
  ~Arguments();

  std::string text(std::string_view name);  // required
  std::string text(std::string_view name, std::string_view fallback);
  std::size_t number(std::string_view name, std::size_t fallback);
  bool flag(std::string_view name);
  const std::string& complaint() const { return complaint_; }

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
  std::string complaint_;
};

// "name argument" on one line, whatever the argument holds.
std::string one_line(std::string_view verb, std::string_view argument);

}  // namespace skein::tools
