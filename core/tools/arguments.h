// What tools share to declare a call and to read one: its schema, checked arguments and title.
#pragma once

#include "core/model/tool.h"

namespace skein::tools {

// One argument as the schema of a tool declares it.
struct Parameter {
  std::string_view name, type;
  std::string_view description{};
  int minimum = -1;  // of an integer; -1: none is declared
};
// `required`: their names, with blanks between.
JsonText schema_of(std::string_view required, const std::vector<Parameter>& parameters);

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
// The title of a tool that is about one argument, and that argument alone.
std::function<std::string(const JsonText&)> title_with(std::string verb, std::string name);
std::function<std::string(const JsonText&)> text_of(std::string name);

}  // namespace skein::tools
