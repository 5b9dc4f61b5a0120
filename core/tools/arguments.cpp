#include "core/tools/arguments.h"

#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::tools {

JsonText schema_of(std::string_view required, const std::vector<Parameter>& parameters) {
  const auto quoted = [](std::string_view text) { return "\"" + std::string(text) + "\""; };
  std::string rows;
  for (const Parameter& each : parameters) {
    rows += (rows.empty() ? "    " : ",\n    ") + quoted(each.name) +
            ": {\"type\": " + quoted(each.type);
    if (each.minimum >= 0) rows += ", \"minimum\": " + std::to_string(each.minimum);
    if (!each.description.empty()) rows += ", \"description\": " + json_string(each.description);
    rows += "}";
  }
  const std::string names = listed(split(required, ' '), ", ", quoted);
  return "{\n  \"type\": \"object\",\n  \"properties\": {\n" + rows + "\n  },\n" +
         (names.empty() ? "" : "  \"required\": [" + names + "],\n") +
         "  \"additionalProperties\": false\n}";
}

struct Arguments::Parsed {
  Json value;
};

Arguments::Arguments(const JsonText& input) : parsed_(std::make_unique<Parsed>()) {
  auto value = parse_json(input);
  if (value && value->is_object())
    parsed_->value = std::move(*value);
  else
    complaint_ = "the input is not a JSON object";
}

Arguments::~Arguments() = default;

std::string Arguments::text(std::string_view name) {
  const Json& value = at(parsed_->value, name);
  if (value.is_string()) return value.get<std::string>();
  if (complaint_.empty()) complaint_ = "`" + std::string(name) + "` is missing or not a string";
  return "";
}

std::string Arguments::text(std::string_view name, std::string_view fallback) {
  return at(parsed_->value, name).is_null() ? std::string(fallback) : text(name);
}

std::size_t Arguments::number(std::string_view name, std::size_t fallback) {
  const Json& value = at(parsed_->value, name);
  if (value.is_null()) return fallback;
  // Models write 10.0 where they mean 10.
  if (value.is_number()) {
    const double number = value.get<double>();
    if (number >= 0 && number <= 9e15 &&
        number == static_cast<double>(static_cast<std::uint64_t>(number)))
      return static_cast<std::size_t>(number);
  }
  if (complaint_.empty()) complaint_ = "`" + std::string(name) + "` is not a whole number";
  return fallback;
}

bool Arguments::flag(std::string_view name) {
  const Json& value = at(parsed_->value, name);
  if (value.is_boolean()) return value.get<bool>();
  if (!value.is_null() && complaint_.empty())
    complaint_ = "`" + std::string(name) + "` is neither true nor false";
  return false;
}

std::string one_line(std::string_view verb, std::string_view argument) {
  constexpr std::size_t longest = 200;
  std::string line = std::string(verb) + " ";
  for (const char c : utf8_prefix(argument, longest)) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank || line.back() != ' ') line += blank ? ' ' : c;
  }
  while (line.ends_with(' ')) line.pop_back();
  return valid_utf8(line) + (argument.size() > longest ? " …" : "");
}

std::function<std::string(const JsonText&)> text_of(std::string name) {
  return [=](const JsonText& input) { return Arguments(input).text(name, ""); };
}

std::function<std::string(const JsonText&)> title_with(std::string verb, std::string name) {
  return [=](const JsonText& input) { return one_line(verb, Arguments(input).text(name, "")); };
}

}  // namespace skein::tools
