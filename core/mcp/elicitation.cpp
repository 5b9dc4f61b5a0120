#include "core/mcp/elicitation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/mcp/shortened.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

constexpr std::size_t most_fields = 20, most_words = 2'000;

// A choice of a field: what is sent, and what a person reads.
struct Option {
  std::string value, title;
};

// enum with enumNames, or oneOf/anyOf of {const, title}; of an array, that of its items.
std::vector<Option> options_of(const Json& schema) {
  std::vector<Option> out;
  const Json& values = at(schema, "enum");
  const Json& names = at(schema, "enumNames");
  for (std::size_t i = 0; values.is_array() && i < values.size(); ++i) {
    if (!values[i].is_string()) continue;
    const bool named = names.is_array() && i < names.size() && names[i].is_string();
    out.push_back({values[i].get<std::string>(), named ? names[i].get<std::string>() : ""});
  }
  for (const char* member : {"oneOf", "anyOf"})
    if (at(schema, member).is_array())
      for (const Json& each : at(schema, member))
        if (at(each, "const").is_string())
          out.push_back({string_at(each, "const"), string_at(each, "title")});
  return out;
}

std::string words_of(const Option& option) {
  return option.value + (option.title.empty() || option.title == option.value
                             ? ""
                             : " (" + shortened(option.title, 100) + ")");
}

// By its value, its title, or its number in the list.
const Option* find_option(const std::vector<Option>& options, std::string_view typed) {
  for (const Option& each : options)
    if (each.value == typed) return &each;
  for (const Option& each : options)
    if (!each.title.empty() && lower(each.title) == lower(typed)) return &each;
  std::size_t number = 0;
  const auto [end, failed] = std::from_chars(typed.data(), typed.data() + typed.size(), number);
  const bool whole = failed == std::errc{} && end == typed.data() + typed.size();
  return whole && number >= 1 && number <= options.size() ? &options[number - 1] : nullptr;
}

FieldValue number_value(const Json& schema, std::string_view typed) {
  const bool whole = string_at(schema, "type") == "integer";
  double value = 0;
  const auto [end, failed] = std::from_chars(typed.data(), typed.data() + typed.size(), value);
  if (failed != std::errc{} || end != typed.data() + typed.size() || !std::isfinite(value))
    return {.trouble = "a number is wanted"};
  if (whole && (value != std::floor(value) || std::abs(value) > 9e15))
    return {.trouble = "a whole number is wanted"};
  if (at(schema, "minimum").is_number() && value < at(schema, "minimum").get<double>())
    return {.trouble = "at least " + at(schema, "minimum").dump() + " is wanted"};
  if (at(schema, "maximum").is_number() && value > at(schema, "maximum").get<double>())
    return {.trouble = "at most " + at(schema, "maximum").dump() + " is wanted"};
  return {whole ? Json(static_cast<std::int64_t>(value)) : Json(value)};
}

FieldValue truth_value(const std::string& typed) {
  const std::string word = lower(typed);
  if (has_word("y yes true 1", word)) return {true};
  if (has_word("n no false 0", word)) return {false};
  return {.trouble = "yes or no is wanted"};
}

FieldValue option_value(const std::vector<Option>& options, std::string_view typed) {
  const Option* option = find_option(options, typed);
  if (option == nullptr) return {.trouble = "one of the choices is wanted, or its number"};
  return {option->value};
}

FieldValue options_value(const Json& schema, const std::string& typed) {
  const std::vector<Option> options = options_of(at(schema, "items"));
  Json all = Json::array();
  for (const std::string_view each : split(typed, ',')) {
    if (trimmed(each).empty()) continue;
    FieldValue one = option_value(options, trimmed(each));
    if (!one.trouble.empty()) return one;
    if (std::ranges::find(all, one.value) == all.end()) all.push_back(std::move(one.value));
  }
  const auto count = static_cast<std::int64_t>(all.size());
  if (count < int_at(schema, "minItems"))
    return {.trouble = "at least " + std::to_string(int_at(schema, "minItems")) + " are wanted"};
  if (count > int_at(schema, "maxItems", count))
    return {.trouble = "at most " + std::to_string(int_at(schema, "maxItems")) + " are wanted"};
  return {std::move(all)};
}

bool is_digits(std::string_view text, std::string_view shape) {
  return text.size() >= shape.size() &&
         std::ranges::equal(text.substr(0, shape.size()), shape, [](char c, char wanted) {
           return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
         });
}

bool has_format(std::string_view text, std::string_view format) {
  if (format == "email") {
    const std::size_t at = text.find('@');
    return at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
           text.find_first_of(" \t") == std::string_view::npos;
  }
  if (format == "uri") {
    const std::size_t colon = text.find(':');
    return colon != std::string_view::npos && colon > 0 && colon + 1 < text.size() &&
           text.find(' ') == std::string_view::npos;
  }
  if (format == "date") return text.size() == 10 && is_digits(text, "0000-00-00");
  if (format == "date-time") return text.size() > 19 && is_digits(text, "0000-00-00T00:00:00");
  return true;
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

FieldValue text_value(const Json& schema, const std::string& typed) {
  const auto length = static_cast<std::int64_t>(characters_in(typed));
  if (length < int_at(schema, "minLength"))
    return {.trouble = "it must have at least " + std::to_string(int_at(schema, "minLength")) +
                       " characters"};
  if (length > int_at(schema, "maxLength", length))
    return {.trouble = "it may have at most " + std::to_string(int_at(schema, "maxLength")) +
                       " characters"};
  const std::string format = string_at(schema, "format");
  if (!has_format(typed, format)) {
    const std::string example = format == "date"        ? ", as 2026-11-16"
                                : format == "date-time" ? ", as 2026-11-16T09:30:00Z"
                                                        : "";
    return {.trouble = "that is no " + format + example};
  }
  return {typed};
}

// "region: where it runs (1 eu, 2 us; Enter: eu)"
std::string words_for(const std::string& name, const Json& schema, bool required) {
  const std::string title = string_at(schema, "title");
  std::string out = shortened(title.empty() ? name : title, 100);
  if (const std::string what = string_at(schema, "description"); !what.empty())
    out += ": " + shortened(what, 400);
  const std::string type = string_at(schema, "type");
  const std::vector<Option> options = options_of(type == "array" ? at(schema, "items") : schema);
  for (std::size_t i = 0; i < std::min<std::size_t>(options.size(), 50); ++i)
    out += "\n  " + std::to_string(i + 1) + "  " + words_of(options[i]);
  std::vector<std::string> notes;
  if (type == "array") notes.emplace_back("several with commas between");
  if (type == "boolean") notes.emplace_back("yes or no");
  if (type == "number" || type == "integer") notes.emplace_back("a number");
  if (!required && at(schema, "default").is_null()) notes.emplace_back("Enter alone leaves it out");
  return out + (notes.empty() ? "" : " (" + listed(notes) + ")");
}

std::string typed_form(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_array()) return value.is_number() ? value.dump() : "";
  std::vector<std::string> all;
  for (const Json& each : value)
    if (each.is_string()) all.push_back(each.get<std::string>());
  return listed(all);
}

class Form {
 public:
  Form(const Json& schema, const ElicitationPorts& ports) : schema_(schema), ports_(ports) {}

  Json filled_in() {
    Json content = Json::object();
    for (const auto& [name, field] : at(schema_, "properties").items())
      if (!ask(name, field, content)) return {{"action", "cancel"}};
    return {{"action", "accept"}, {"content", std::move(content)}};
  }

 private:
  bool is_required(const std::string& name) const {
    const Json& required = at(schema_, "required");
    return required.is_array() && std::ranges::find(required, Json(name)) != required.end();
  }

  // False: the user left.
  bool ask(const std::string& name, const Json& field, Json& content) const {
    const bool required = is_required(name);
    std::string before = typed_form(at(field, "default")), trouble;
    for (;;) {
      const std::string words = trouble.empty() ? words_for(name, field, required) : trouble;
      const auto typed = ports_.ask_line({words, before});
      if (!typed || ports_.stopped()) return false;
      const std::string text(trimmed(*typed));
      if (text.empty() && !required) return true;
      FieldValue got = field_value(field, text);
      trouble = text.empty() ? "the server needs an answer here; Esc leaves" : got.trouble;
      if (trouble.empty()) {
        content[name] = std::move(got.value);
        return true;
      }
      before = text;
    }
  }

  const Json& schema_;
  const ElicitationPorts& ports_;
};

Json action(const char* name) { return {{"action", name}}; }

// The host is what a person must judge; a name before an @ is there to deceive.
std::string host_in(std::string_view url) {
  const std::size_t start = url.find("://");
  if (start == std::string_view::npos) return {};
  std::string_view rest = url.substr(start + 3);
  rest = rest.substr(0, rest.find_first_of("/?#\\"));
  if (const std::size_t user = rest.rfind('@'); user != std::string_view::npos)
    rest.remove_prefix(user + 1);
  return std::string(rest);
}

Json page_seen(const std::string& message, const std::string& url, const ElicitationPorts& ports) {
  const bool web = url.starts_with("https://") || url.starts_with("http://");
  if (!web || host_in(url).empty() || url.size() > most_words) {
    ports.tell("the server " + ports.server +
               " wanted you to open something that is no web page; declined");
    return action("decline");
  }
  const model::Answer answer =
      ports.ask({.text = "The MCP server " + ports.server + " wants you to open a page at " +
                         host_in(url) + " in your browser. Will you?",
                 .detail = ports.server + " says: " + message + "\n" + url});
  if (ports.stopped()) return action("cancel");
  return action(answer.choice == model::Answer::Choice::yes ? "accept" : "decline");
}

// The words of a name: "apiKey", "api_key" and "API key" are two each.
std::vector<std::string> words_in(std::string_view name) {
  std::vector<std::string> out(1);
  char before = ' ';
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool hump = c >= 'A' && c <= 'Z' && before >= 'a' && before <= 'z';
    if ((!letter || hump) && !out.back().empty()) out.emplace_back();
    if (letter) out.back() += c;
    before = c;
  }
  for (std::string& each : out) each = lower(each);
  return out;
}

bool names_a_secret(std::string_view name) {
  const std::vector<std::string> words = words_in(name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (has_word("password passwd passphrase passcode secret token apikey credential credentials "
                 "pin cvv cvc otp",
                 words[i]) &&
        !words[i].empty())
      return true;
    if (words[i] == "key" && i > 0 && has_word("api private access secret ssh", words[i - 1]))
      return true;
  }
  return false;
}

}  // namespace

std::string secret_field(const Json& schema) {
  if (at(schema, "properties").is_object())
    for (const auto& [name, field] : at(schema, "properties").items())
      if (names_a_secret(name) || names_a_secret(string_at(field, "title")) ||
          string_at(field, "format") == "password")
        return name;
  return {};
}

FieldValue field_value(const Json& schema, const std::string& typed) {
  const std::string type = string_at(schema, "type");
  if (type == "number" || type == "integer") return number_value(schema, typed);
  if (type == "boolean") return truth_value(typed);
  if (type == "array") return options_value(schema, typed);
  if (const std::vector<Option> options = options_of(schema); !options.empty())
    return option_value(options, typed);
  return text_value(schema, typed);
}

Json elicited(const Json& params, const ElicitationPorts& ports) {
  const std::string message = shortened(string_at(params, "message"), most_words);
  if (!ports.ask || !ports.ask_line) {
    ports.tell("the server " + ports.server +
               " has a question, and there is nobody to ask; declined: " + message);
    return action("decline");
  }
  if (string_at(params, "mode") == "url")
    return page_seen(message, string_at(params, "url"), ports);
  const Json& schema = at(params, "requestedSchema");
  if (const std::string secret = secret_field(schema); !secret.empty()) {
    ports.tell("the server " + ports.server + " asked for `" + shortened(secret, 100) +
               "`; a secret does not belong into such a question, declined");
    return action("decline");
  }
  const Json& fields = at(schema, "properties");
  if (fields.size() > most_fields) return action("decline");
  const model::Answer answer =
      ports.ask({.text = "The MCP server " + ports.server + " asks you something" +
                         (fields.empty() ? ". Agree?" : "; what you answer goes to it. Answer?"),
                 .detail = message});
  if (ports.stopped()) return action("cancel");
  if (answer.choice != model::Answer::Choice::yes) return action("decline");
  return Form(schema, ports).filled_in();
}

}  // namespace skein::mcp
