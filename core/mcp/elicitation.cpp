#include "core/mcp/elicitation.h"

#include "core/mcp/rpc.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

constexpr std::size_t most_fields = 20, most_words = 2'000;

// A choice of a field: what is sent, and what a person reads.
struct FieldOption {
  std::string value, title;
};

// enum with enumNames, or oneOf/anyOf of {const, title}; of an array, that of its items.
std::vector<FieldOption> options_of(const Json& schema) {
  std::vector<FieldOption> out;
  const std::vector<Json>& values = list_at(schema, "enum");
  const std::vector<Json>& names = list_at(schema, "enumNames");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_string()) continue;
    const bool named = i < names.size() && names[i].is_string();
    out.push_back({values[i].get<std::string>(), named ? names[i].get<std::string>() : ""});
  }
  for (const char* member : {"oneOf", "anyOf"})
    for (const Json& each : list_at(schema, member))
      if (at(each, "const").is_string())
        out.push_back({string_at(each, "const"), string_at(each, "title")});
  return out;
}

std::string words_of(const FieldOption& option) {
  return option.value + (option.title.empty() || option.title == option.value
                             ? ""
                             : " (" + rpc::shortened(option.title, 100) + ")");
}

// By its value, its title, or its number in the list.
const FieldOption* find_option(const std::vector<FieldOption>& options, std::string_view typed) {
  for (const FieldOption& each : options)
    if (each.value == typed) return &each;
  for (const FieldOption& each : options)
    if (!each.title.empty() && lower(each.title) == lower(typed)) return &each;
  const auto number = parse_number<std::size_t>(typed).value_or(0);
  return number >= 1 && number <= options.size() ? &options[number - 1] : nullptr;
}

FieldValue number_value(const Json& schema, std::string_view typed) {
  const bool whole = string_at(schema, "type") == "integer";
  const double value = parse_number<double>(typed).value_or(NAN);
  if (!std::isfinite(value)) return {.trouble = "enter a number"};
  if (whole && (value != std::floor(value) || std::abs(value) > 9e15))
    return {.trouble = "enter a whole number"};
  if (at(schema, "minimum").is_number() && value < at(schema, "minimum").get<double>())
    return {.trouble = "enter at least " + at(schema, "minimum").dump()};
  if (at(schema, "maximum").is_number() && value > at(schema, "maximum").get<double>())
    return {.trouble = "enter at most " + at(schema, "maximum").dump()};
  return {whole ? Json(static_cast<std::int64_t>(value)) : Json(value)};
}

FieldValue truth_value(const std::string& typed) {
  const std::string word = lower(typed);
  if (has_word("y yes true 1", word)) return {true};
  if (has_word("n no false 0", word)) return {false};
  return {.trouble = "enter yes or no"};
}

FieldValue option_value(const std::vector<FieldOption>& options, std::string_view typed) {
  const FieldOption* option = find_option(options, typed);
  if (option == nullptr) return {.trouble = "enter one of the choices or its number"};
  return {option->value};
}

FieldValue options_value(const Json& schema, const std::string& typed) {
  const std::vector<FieldOption> options = options_of(at(schema, "items"));
  Json all = Json::array();
  for (const std::string_view each : split(typed, ',')) {
    if (trimmed(each).empty()) continue;
    FieldValue one = option_value(options, trimmed(each));
    if (!one.trouble.empty()) return one;
    if (std::ranges::find(all, one.value) == all.end()) all.push_back(std::move(one.value));
  }
  const auto count = static_cast<std::int64_t>(all.size());
  if (count < int_at(schema, "minItems"))
    return {.trouble = "choose at least " + std::to_string(int_at(schema, "minItems"))};
  if (count > int_at(schema, "maxItems", count))
    return {.trouble = "choose at most " + std::to_string(int_at(schema, "maxItems"))};
  return {std::move(all)};
}

bool is_digits(std::string_view text, std::string_view shape) {
  return text.size() >= shape.size() &&
         std::ranges::equal(text.substr(0, shape.size()), shape, [](char c, char wanted) {
           return wanted == '0' ? is_digit(c) : c == wanted;
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
    const std::string example = format == "date"        ? ", such as 2026-11-16"
                                : format == "date-time" ? ", such as 2026-11-16T09:30:00Z"
                                                        : "";
    return {.trouble = "that is not a valid " + format + example};
  }
  return {typed};
}

// "region: where it runs (1 eu, 2 us; Enter: eu)"
std::string words_for(const std::string& name, const Json& schema, bool required) {
  const std::string title = string_at(schema, "title");
  std::string out = rpc::shortened(title.empty() ? name : title, 100);
  if (const std::string what = string_at(schema, "description"); !what.empty())
    out += ": " + rpc::shortened(what, 400);
  const std::string type = string_at(schema, "type");
  const std::vector<FieldOption> options =
      options_of(type == "array" ? at(schema, "items") : schema);
  for (std::size_t i = 0; i < std::min<std::size_t>(options.size(), 50); ++i)
    out += "\n  " + std::to_string(i + 1) + "  " + words_of(options[i]);
  std::vector<std::string> notes;
  if (type == "array") notes.emplace_back("several, separated by commas");
  if (type == "boolean") notes.emplace_back("yes or no");
  if (type == "number" || type == "integer") notes.emplace_back("a number");
  if (!required && at(schema, "default").is_null())
    notes.emplace_back("press Enter to leave it out");
  return out + (notes.empty() ? "" : " (" + listed(notes) + ")");
}

std::string typed_form(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_array()) return value.is_number() ? value.dump() : "";
  return listed(strings_in(value));
}

Json action(const char* name) { return {{"action", name}}; }

Json filled_in(const Json& schema, const model::ToolPorts& ports) {
  const Json& required = at(schema, "required");
  Json content = Json::object();
  for (const auto& [name, field] : at(schema, "properties").items()) {
    const bool needed =
        required.is_array() && std::ranges::find(required, Json(name)) != required.end();
    std::string words = words_for(name, field, needed), before = typed_form(at(field, "default"));
    while (!content.contains(name)) {
      const auto typed = ports.ask_line({words, before});
      if (!typed || ports.stopped()) return action("cancel");
      before = trimmed(*typed);
      if (before.empty() && !needed) break;
      FieldValue got = field_value(field, before);
      words = before.empty() ? "the server needs an answer; Esc cancels" : got.trouble;
      if (words.empty()) content[name] = std::move(got.value);
    }
  }
  return {{"action", "accept"}, {"content", std::move(content)}};
}

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

Json page_seen(const std::string& message, const std::string& url, const std::string& server,
               const model::ToolPorts& ports) {
  const bool web = url.starts_with("https://") || url.starts_with("http://");
  if (!web || host_in(url).empty() || url.size() > most_words) {
    ports.output("the server " + server +
                 " asked you to open something that is not a web page; declined\n");
    return action("decline");
  }
  const model::Answer answer =
      ports.ask({.text = "The MCP server " + server + " wants you to open a page at " +
                         host_in(url) + " in your browser. Open it?",
                 .detail = server + " says: " + message + "\n" + url});
  if (ports.stopped()) return action("cancel");
  return action(answer.choice == model::Answer::Choice::yes ? "accept" : "decline");
}

// The words of a name: "apiKey", "api_key" and "API key" are two each.
std::vector<std::string> words_in(std::string_view name) {
  std::vector<std::string> out(1);
  char before = ' ';
  for (const char c : name) {
    const bool letter = is_alphanumeric(c);
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
  if (const std::vector<FieldOption> options = options_of(schema); !options.empty())
    return option_value(options, typed);
  return text_value(schema, typed);
}

Json elicited(const Json& params, const std::string& server, const model::ToolPorts& ports) {
  const std::string message = rpc::shortened(string_at(params, "message"), most_words);
  if (!ports.ask || !ports.ask_line) {
    ports.output("the server " + server +
                 " has a question, and there is no user to ask; declined: " + message + "\n");
    return action("decline");
  }
  if (string_at(params, "mode") == "url")
    return page_seen(message, string_at(params, "url"), server, ports);
  const Json& schema = at(params, "requestedSchema");
  if (const std::string secret = secret_field(schema); !secret.empty()) {
    ports.output("the server " + server + " asked for `" + rpc::shortened(secret, 100) +
                 "`, which looks like a secret; declined\n");
    return action("decline");
  }
  const Json& fields = at(schema, "properties");
  if (fields.size() > most_fields) return action("decline");
  const model::Answer answer =
      ports.ask({.text = "The MCP server " + server + " asks a question" +
                         (fields.empty() ? ". Agree?" : ", and your answer is sent to it. Answer?"),
                 .detail = message});
  if (ports.stopped()) return action("cancel");
  if (answer.choice != model::Answer::Choice::yes) return action("decline");
  return filled_in(schema, ports);
}

AskedAgain with_input(Json params, const Json& result, const std::string& server,
                      const model::ToolPorts& ports) {
  constexpr std::size_t most_questions = 20;
  AskedAgain out{std::move(params)};
  out.params.erase("inputResponses");
  out.params.erase("requestState");
  if (result.contains("requestState")) out.params["requestState"] = at(result, "requestState");
  const Json& wanted = at(result, "inputRequests");
  if (!wanted.is_object() || wanted.empty()) return out;
  if (wanted.size() > most_questions) return {.trouble = "asks too much at once"};
  Json given = Json::object();
  for (const auto& [key, each] : wanted.items()) {
    if (string_at(each, "method") != "elicitation/create")
      return {.trouble = "requested '" + rpc::shortened(string_at(each, "method"), 60) +
                         "', which skein does not support"};
    given[key] = elicited(at(each, "params"), server, ports);
    if (ports.stopped()) return {.trouble = "got no answer"};
  }
  out.params["inputResponses"] = std::move(given);
  return out;
}

Json roots_of(const std::string& workspace) {
  const Json root{{"uri", "file://" + workspace}, {"name", "workspace"}};
  return {{"roots", Json::array({root})}};
}

}  // namespace skein::mcp
