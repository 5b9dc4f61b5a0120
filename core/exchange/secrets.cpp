#include "core/exchange/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/exchange/secret_forms.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/regex.h"

namespace skein::exchange {

namespace {

// Shorter ones would be found in ordinary words.
constexpr std::size_t least_known = 10;
// No form has fewer, whatever stands around it.
constexpr std::size_t least_secret = 12;
constexpr double least_entropy = 3.5;

// All forms at once find a place quickly; one by one they then say what is there.
struct Patterns {
  Regex all;
  std::vector<Regex> each;
  Regex assignment, telling_name;
};

const Patterns& patterns() {
  static const Patterns compiled = [] {
    std::string all;
    std::vector<Regex> each;
    for (const SecretForm& form : secret_forms()) {
      all += (all.empty() ? "" : "|") + std::string(form.pattern);
      each.push_back(Regex::of_bytes(form.pattern));
    }
    return Patterns{Regex::of_bytes(all), std::move(each), Regex::of_bytes(assignment_pattern),
                    Regex::of_bytes(telling_name_pattern)};
  }();
  return compiled;
}

double entropy(std::string_view text) {
  std::array<std::size_t, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (const std::size_t count : counts)
    if (count > 0) {
      const double part = static_cast<double>(count) / static_cast<double>(text.size());
      bits -= part * std::log2(part);
    }
  return bits;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (text[i] == '-') ||
        (!dash && std::isxdigit(static_cast<unsigned char>(text[i])) == 0))
      return false;
  }
  return true;
}

// Neither a name, a path, an address nor a place for a value. `bare`: only "key" says that it is a
// secret, which is said of much else.
bool looks_random(std::string_view value, bool bare) {
  const auto any = [&](int (*is)(int)) {
    return std::ranges::any_of(value,
                               [&](char c) { return is(static_cast<unsigned char>(c)) != 0; });
  };
  if (value.size() < 16 || is_uuid(value)) return false;
  if (std::string_view("$%/.~@*&|!").find(value.front()) != std::string_view::npos) return false;
  if (value.find("://") != std::string_view::npos || value.starts_with("\xE2\x80\xB9"))
    return false;
  for (const std::string_view hash : {"sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "md5:"})
    if (value.starts_with(hash)) return false;
  const bool word = std::ranges::all_of(value, [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_.-:/").find(c) != std::string_view::npos;
  });
  if (word) return false;
  if (bare && !(any(std::isdigit) && any(std::isupper) && any(std::islower) && value.size() >= 20 &&
                value.find_first_of(":.") == std::string_view::npos))
    return false;
  return entropy(value) > least_entropy;
}

std::string shortened(std::string_view secret) {
  const std::size_t shown = std::min<std::size_t>(4, secret.size() / 5);
  return std::string(utf8_prefix(secret, shown)) + "… (" + counted(secret.size(), "character") +
         ")";
}

// Where the string that begins at `open` ends, behind its quote.
std::size_t string_end(std::string_view json, std::size_t open) {
  std::size_t at = open + 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

std::string unescaped(std::string_view quoted) {
  if (quoted.size() < 2) return {};
  if (quoted.find('\\') == std::string_view::npos)
    return std::string(quoted.substr(1, quoted.size() - 2));
  const std::optional<Json> value = parse_json("[" + std::string(quoted) + "]");
  return value && value->is_array() && value->size() == 1 && (*value)[0].is_string()
             ? (*value)[0].get<std::string>()
             : std::string(quoted.substr(1, quoted.size() - 2));
}

}  // namespace

std::string SecretMask::mark(std::string_view kind, std::string_view secret) {
  const auto [place, is_new] = numbers_.try_emplace(std::string(secret), found_.size() + 1);
  if (is_new) found_.push_back({place->second, std::string(kind), shortened(secret), place_, 0});
  ++found_[place->second - 1].times;
  return "‹secret " + std::to_string(place->second) + "›";
}

std::string SecretMask::formed(std::string_view text) {
  const Patterns& with = patterns();
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; const auto place = with.all.find(text, at);) {
    at = place->whole.begin + 1;
    for (std::size_t i = 0; i < with.each.size(); ++i) {
      const auto match = with.each[i].find(text, place->whole.begin, Regex::Place::exactly);
      if (!match) continue;
      const auto [begin, end] = match->group;
      out.append(text.substr(copied, begin - copied));
      out += mark(secret_forms()[i].name, text.substr(begin, end - begin));
      copied = end;
      at = std::max(end, at);
      break;
    }
  }
  return copied == 0 ? std::string(text) : out.append(text.substr(copied));
}

std::string SecretMask::assigned(std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  const Regex& pattern = patterns().assignment;
  for (std::size_t at = 0; const auto place = pattern.find(text, at);) {
    const auto match = pattern.find(text, place->whole.begin, Regex::Place::exactly);
    if (!match) break;
    const auto [begin, end] = match->group;
    // From here on again, if it is none: its value may be another name.
    at = begin;
    const std::string_view name = text.substr(match->whole.begin, begin - match->whole.begin);
    const bool bare = !patterns().telling_name.find(name, 0).has_value();
    if (!looks_random(text.substr(begin, end - begin), bare)) continue;
    out.append(text.substr(copied, begin - copied));
    out += mark("value of a secret's name", text.substr(begin, end - begin));
    copied = at = end;
  }
  return copied == 0 ? std::string(text) : out.append(text.substr(copied));
}

std::string SecretMask::known(std::string text) const {
  for (const auto& [secret, number] : numbers_) {
    if (secret.size() < least_known) continue;
    const std::string instead = "‹secret " + std::to_string(number) + "›";
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;
         at += instead.size())
      text.replace(at, secret.size(), instead);
  }
  return text;
}

std::string SecretMask::text(std::string_view text) {
  if (text.size() < least_secret) return std::string(text);
  return known(assigned(formed(text)));
}

std::string SecretMask::masked_member(std::string_view name, std::string_view value) {
  std::string out = text(value);
  if (out == value && value.size() <= 512 && value.find(' ') == std::string_view::npos &&
      patterns().telling_name.find(name, 0) && looks_random(value, false))
    return mark("value of a secret's name", value);
  return out;
}

JsonText SecretMask::json(std::string_view json) {
  JsonText out;
  out.reserve(json.size());
  std::string name;  // of the member whose value comes
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] != '"') {
      const std::size_t next = std::min(json.find('"', at), json.size());
      const std::string_view between = json.substr(at, next - at);
      // A list's elements are called what the list is called.
      if (between.find_first_of("{},") != std::string_view::npos &&
          between.find('[') == std::string_view::npos && between != ",")
        name.clear();
      out += between;
      at = next;
      continue;
    }
    const std::size_t end = string_end(json, at);
    const std::string_view quoted = json.substr(at, end - at);
    const std::string value = unescaped(quoted);
    const std::size_t after = json.find_first_not_of(" \t\r\n", end);
    const bool is_name = after != std::string_view::npos && json[after] == ':';
    const std::string masked = is_name ? text(value) : masked_member(name, value);
    if (is_name) name = value;
    if (masked == value)
      out += quoted;
    else
      append_quoted(out, masked);
    at = end;
  }
  return out;
}

std::string counts_by_kind(const std::vector<FoundSecret>& found) {
  std::map<std::string, std::size_t> counts;
  for (const FoundSecret& each : found) ++counts[each.kind];
  std::string out;
  for (const auto& [kind, count] : counts)
    out += (out.empty() ? "" : ", ") + std::to_string(count) + " × " + kind;
  return out;
}

}  // namespace skein::exchange
