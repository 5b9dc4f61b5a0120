#include "core/schema/json_schema.h"

#include "core/text/json.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

namespace skein::schema {

namespace {

constexpr std::string_view checked =
    "type enum const properties required additionalProperties items minItems maxItems uniqueItems "
    "minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf "
    "minProperties maxProperties anyOf oneOf allOf not $ref";
// They say nothing that a value could violate, or what only people can check.
constexpr std::string_view notes =
    "$schema $id $comment $defs definitions title description default examples deprecated readOnly "
    "writeOnly format contentEncoding contentMediaType";
constexpr int deepest = 64;  // levels of a value, and of references

bool has_type(const Json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  return type == "integer" &&
         (value.is_number_integer() ||
          (value.is_number() && std::trunc(value.get<double>()) == value.get<double>()));
}

// The part that "#/$defs/name" names; null: there is none.
const Json* referred(const Json& root, std::string_view reference) {
  if (!reference.starts_with('#')) return nullptr;
  const Json* at_part = &root;
  for (const std::string_view step : split(reference.substr(1), '/')) {
    if (step.empty()) continue;
    if (!at_part->is_object() || !at_part->contains(step)) return nullptr;
    at_part = &skein::at(*at_part, step);
  }
  return at_part;
}

class SchemaReader {
 public:
  explicit SchemaReader(const Json& root) : root_(root) {}

  std::string trouble(const Json& schema, int depth = 0) const {
    if (schema.is_boolean()) return {};
    if (!schema.is_object()) return "a part of it is no object";
    if (depth > deepest) return "it is nested too deeply";
    for (const auto& [name, value] : schema.items()) {
      if (has_word(notes, name)) {
        if (std::string inner = has_word("$defs definitions", name) ? each(value, depth) : "";
            !inner.empty())
          return inner;
        continue;
      }
      if (!has_word(checked, name)) return "skein does not check `" + name + "`";
      if (std::string inner = member(name, value, depth); !inner.empty()) return inner;
    }
    return {};
  }

 private:
  std::string each(const Json& schemas, int depth) const {
    if (!schemas.is_structured()) return "a part of it has the wrong form";
    for (const Json& one : schemas)
      if (std::string inner = trouble(one, depth + 1); !inner.empty()) return inner;
    return {};
  }
  std::string member(const std::string& name, const Json& value, int depth) const {
    if (has_word("properties anyOf oneOf allOf", name)) return each(value, depth);
    if (has_word("items additionalProperties not", name)) return trouble(value, depth + 1);
    const bool fits = name == "type"                    ? value.is_string() || value.is_array()
                      : has_word("enum required", name) ? value.is_array()
                      : has_word("pattern $ref", name)  ? value.is_string()
                      : name == "uniqueItems"           ? value.is_boolean()
                      : name == "const"                 ? true
                                                        : value.is_number();
    if (!fits) return "`" + name + "` has the wrong form";
    if (name == "$ref" && referred(root_, value.get<std::string>()) == nullptr)
      return "there is no " + value.get<std::string>() + " in it";
    if (name == "pattern" && !std::holds_alternative<Regex>(
                                 Regex::compile(value.get<std::string>(), Regex::Case::sensitive)))
      return "the pattern " + value.get<std::string>() + " is not understood";
    return {};
  }

  const Json& root_;
};

class Checker {
 public:
  explicit Checker(const Json& root) : root_(root) {}

  std::string check(const Json& schema, const Json& value, const std::string& place, int depth) {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : named(place) + " is not allowed";
    if (depth > deepest) return named(place) + " is nested too deeply";
    for (const auto& [name, rule] : schema.items()) {
      std::string why = one(schema, name, rule, value, place, depth);
      if (!why.empty()) return why;
    }
    return {};
  }

 private:
  static std::string named(const std::string& place) { return place.empty() ? "the value" : place; }

  std::string one(const Json& schema, const std::string& name, const Json& rule, const Json& value,
                  const std::string& place, int depth) {
    const std::string who = named(place);
    if (name == "$ref")
      return check(*referred(root_, rule.get<std::string>()), value, place, depth + 1);
    if (name == "type") return type(rule, value, who);
    if (name == "const") return rule == value ? "" : who + " must be " + dump(rule);
    if (name == "enum")
      return std::ranges::find(rule, value) != rule.end() ? ""
                                                          : who + " must be one of " + dump(rule);
    if (has_word("anyOf oneOf allOf not", name)) return combined(name, rule, value, place, depth);
    if (value.is_object()) return object(schema, name, rule, value, place, depth);
    if (value.is_array()) return array(name, rule, value, place, depth);
    if (value.is_string()) return text(name, rule, value.get<std::string>(), who);
    if (value.is_number()) return number(name, rule, value.get<double>(), who);
    return {};
  }

  static std::string type(const Json& rule, const Json& value, const std::string& who) {
    if (rule.is_string() && has_type(value, rule.get<std::string>())) return {};
    if (rule.is_array())
      for (const Json& each : rule)
        if (each.is_string() && has_type(value, each.get<std::string>())) return {};
    return who + " must be of type " + (rule.is_string() ? rule.get<std::string>() : dump(rule));
  }

  std::string combined(const std::string& name, const Json& rule, const Json& value,
                       const std::string& place, int depth) {
    if (name == "not")
      return check(rule, value, place, depth + 1).empty() ? named(place) + " is not allowed" : "";
    std::size_t fits = 0;
    std::string why;
    for (const Json& each : rule) {
      std::string trouble = check(each, value, place, depth + 1);
      fits += trouble.empty() ? 1 : 0;
      if (why.empty()) why = std::move(trouble);
    }
    if (name == "allOf") return fits == rule.size() ? "" : why;
    if (name == "oneOf" && fits > 1) return named(place) + " fits more than one of oneOf";
    return fits > 0 ? "" : why;
  }

  std::string object(const Json& schema, const std::string& name, const Json& rule,
                     const Json& value, const std::string& place, int depth) {
    if (name == "required")
      for (const Json& each : rule)
        if (each.is_string() && !value.contains(each.get<std::string>()))
          return place + "/" + each.get<std::string>() + " is missing";
    if (name == "properties")
      for (const auto& [member, inner] : rule.items())
        if (value.contains(member))
          if (std::string why = check(inner, value[member], place + "/" + member, depth + 1);
              !why.empty())
            return why;
    if (name == "additionalProperties")
      for (const auto& [member, inner] : value.items())
        if (!at(schema, "properties").contains(member))
          if (std::string why = check(rule, inner, place + "/" + member, depth + 1); !why.empty())
            return why;
    return count(name, "Properties", rule, value.size(), named(place) + " has too ", " members");
  }

  std::string array(const std::string& name, const Json& rule, const Json& value,
                    const std::string& place, int depth) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string inner = place + "/" + std::to_string(i);
      if (name == "items")
        if (std::string why = check(rule, value[i], inner, depth + 1); !why.empty()) return why;
      if (name == "uniqueItems" && rule.get<bool>())
        for (std::size_t other = 0; other < i; ++other)
          if (value[other] == value[i]) return inner + " is there twice";
    }
    return count(name, "Items", rule, value.size(), named(place) + " has too ", " items");
  }

  static std::string text(const std::string& name, const Json& rule, const std::string& value,
                          const std::string& who) {
    if (name == "pattern") {
      const auto pattern = Regex::compile(rule.get<std::string>(), Regex::Case::sensitive);
      return std::get<Regex>(pattern).found_in(value)
                 ? ""
                 : who + " does not match " + rule.get<std::string>();
    }
    return count(name, "Length", rule, characters_in(value), who + " has too ", " characters");
  }

  static std::string count(const std::string& name, std::string_view of, const Json& rule,
                           std::size_t size, const std::string& start, const std::string& what) {
    if (name == "min" + std::string(of) && static_cast<double>(size) < rule.get<double>())
      return start + "few" + what;
    if (name == "max" + std::string(of) && static_cast<double>(size) > rule.get<double>())
      return start + "many" + what;
    return {};
  }

  static std::string number(const std::string& name, const Json& rule, double value,
                            const std::string& who) {
    if (!rule.is_number()) return {};
    const double limit = rule.get<double>();
    const bool small =
        (name == "minimum" && value < limit) || (name == "exclusiveMinimum" && value <= limit);
    const bool large =
        (name == "maximum" && value > limit) || (name == "exclusiveMaximum" && value >= limit);
    if (small) return who + " is too small";
    if (large) return who + " is too large";
    if (name == "multipleOf" && limit > 0 &&
        std::abs(value / limit - std::round(value / limit)) > 1e-9)
      return who + " is not a multiple of " + dump(rule);
    return {};
  }

  const Json& root_;
};

}  // namespace

std::string trouble_with_schema(const JsonText& schema) {
  const std::optional<Json> root = parse_json(schema);
  if (!root) return "it is not JSON";
  if (string_at(*root, "type") != "object") return "its type is not object";
  return SchemaReader(*root).trouble(*root);
}

std::string misfit(const JsonText& schema, const JsonText& value) {
  const std::optional<Json> root = parse_json(schema), parsed = parse_json(value);
  if (!root || !parsed) return "it is not JSON";
  return Checker(*root).check(*root, *parsed, "", 0);
}

}  // namespace skein::schema
