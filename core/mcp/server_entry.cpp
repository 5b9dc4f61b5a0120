#include "core/mcp/server_entry.h"

#include <algorithm>

#include "core/text/glob.h"
#include "core/text/json.h"

namespace skein::mcp {

namespace {

constexpr std::size_t longest_name = 40;  // of a tool's 64 letters its own name needs some

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// Text members of an object; what is no text is left out.
std::map<std::string, std::string> texts_of(const Json& object) {
  std::map<std::string, std::string> out;
  if (object.is_object())
    for (const auto& [key, value] : object.items())
      if (value.is_string()) out[key] = value.get<std::string>();
  return out;
}

std::string trouble_with_type(const std::string& type) {
  if (type.empty() || type == "stdio" || type == "http" || type == "streamable-http") return {};
  if (type == "sse")
    return "the older transport sse is not spoken; if its address ends in /sse, try /mcp and "
           "\"type\": \"http\"";
  return "its type is '" + type + "'; there are stdio and http";
}

ServerEntry read_server(const std::string& name, const Json& value) {
  ServerEntry entry{.name = name};
  entry.trouble = trouble_with_name(name);
  if (!entry.trouble.empty()) return entry;
  if (!value.is_object()) {
    entry.trouble = "it is no JSON object";
    return entry;
  }
  entry.command = string_at(value, "command");
  if (at(value, "args").is_array())
    for (const Json& each : at(value, "args"))
      if (each.is_string()) entry.arguments.push_back(each.get<std::string>());
  entry.environment = texts_of(at(value, "env"));
  entry.folder = string_at(value, "cwd");
  entry.url = string_at(value, "url");
  entry.headers = texts_of(at(value, "headers"));
  if (const std::int64_t seconds = int_at(value, "timeout"); seconds > 0)
    entry.timeout = std::chrono::seconds(std::min<std::int64_t>(seconds, 1800));
  entry.enabled = bool_at(value, "enabled", true) && !bool_at(value, "disabled");
  entry.always_direct = bool_at(value, "alwaysLoad");
  entry.exposures = texts_of(at(value, "tools"));
  entry.era = era_named(string_at(value, "protocol")).value_or(Era::unknown);
  entry.trouble = trouble_with_type(string_at(value, "type"));
  if (entry.trouble.empty()) entry.trouble = trouble_with(entry);
  return entry;
}

class Expansion {
 public:
  explicit Expansion(const Variables& variables) : variables_(variables) {}

  void fill(std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t open = text.find("${", at);
      const std::size_t close = open == std::string::npos ? open : text.find('}', open);
      if (close == std::string::npos) {
        out += text.substr(at);
        break;
      }
      out += text.substr(at, open - at);
      out += value_of(text.substr(open + 2, close - open - 2));
      at = close + 1;
    }
    text = std::move(out);
  }
  const std::string& missing() const { return missing_; }

 private:
  std::string value_of(const std::string& inside) {
    const std::size_t otherwise = inside.find(":-");
    const std::optional<std::string> value = variables_(inside.substr(0, otherwise));
    if (value && (!value->empty() || otherwise == std::string::npos)) return *value;
    if (otherwise != std::string::npos) return inside.substr(otherwise + 2);
    if (missing_.empty()) missing_ = inside;
    return {};
  }

  const Variables& variables_;
  std::string missing_;
};

}  // namespace

std::string_view name(ServerEntry::Source source) {
  constexpr std::string_view names[] = {"user", "flag", "workspace"};
  return names[static_cast<std::size_t>(source)];
}

std::optional<Era> era_named(std::string_view name) {
  if (name == "auto") return Era::unknown;
  if (name == "legacy") return Era::legacy;
  if (name == "modern") return Era::modern;
  return std::nullopt;
}

std::optional<Exposure> exposure_of(const ServerEntry& entry, const std::string& tool) {
  const auto fits = [&](const std::string& pattern) { return glob_match(pattern, tool); };
  if (std::ranges::any_of(entry.hidden, fits)) return Exposure::hidden;
  auto found = entry.exposures.find(tool);
  std::size_t longest = 0;
  if (found == entry.exposures.end())
    for (auto each = entry.exposures.begin(); each != entry.exposures.end(); ++each)
      if (each->first.size() > longest && fits(each->first)) {
        found = each;
        longest = each->first.size();
      }
  if (found == entry.exposures.end())
    return entry.always_direct ? std::optional(Exposure::direct) : std::nullopt;
  if (found->second == "direct") return Exposure::direct;
  if (found->second == "search") return Exposure::search;
  return found->second == "hidden" ? std::optional(Exposure::hidden) : std::nullopt;
}

std::string trouble_with_name(std::string_view name) {
  if (name.empty() || name.size() > longest_name || !std::ranges::all_of(name, is_name_letter))
    return "a server's name has letters, digits, - and _, at most " + std::to_string(longest_name) +
           " of them";
  if (name.starts_with('_') || name.ends_with('_') || name.find("__") != std::string_view::npos)
    return "a server's name has single underscores, and none at its ends";
  return {};
}

std::string trouble_with(const ServerEntry& entry) {
  const bool http = entry.url.starts_with("https://") || entry.url.starts_with("http://");
  const bool variable = entry.url.starts_with("${");
  if (entry.command.empty() == entry.url.empty())
    return entry.command.empty() ? "it has neither a command nor a url"
                                 : "it has a command and a url; only one of them can be meant";
  if (entry.command.empty() && !http && !variable) return "its url is not http:// or https://";
  const bool runs = std::ranges::any_of(
      entry.headers, [](const auto& header) { return header.second.starts_with('!'); });
  if (runs && entry.source == ServerEntry::Source::workspace)
    return "a header that a command prints is for your own configuration only";
  return {};
}

std::vector<ServerEntry> read_servers(const std::string& text, const std::string& file,
                                      ServerEntry::Source source) {
  const std::optional<Json> json = parse_json(text);
  if (!json || !at(*json, "mcpServers").is_object())
    throw Error(file + " is not understood: expected {\"mcpServers\": {\"NAME\": {…}}}",
                ExitStatus::usage);
  std::vector<ServerEntry> out;
  for (const auto& [name, value] : at(*json, "mcpServers").items()) {
    ServerEntry& entry = out.emplace_back(read_server(name, value));
    entry.source = source;
    entry.file = file;
  }
  return out;
}

ServerEntry expanded(ServerEntry entry, const Variables& variables) {
  Expansion expansion(variables);
  for (std::string* text : {&entry.command, &entry.folder, &entry.url}) expansion.fill(*text);
  for (std::string& text : entry.arguments) expansion.fill(text);
  for (auto* texts : {&entry.environment, &entry.headers})
    for (auto& [key, text] : *texts) expansion.fill(text);
  if (entry.trouble.empty() && !expansion.missing().empty())
    entry.trouble = "the variable " + expansion.missing() + " is not set" +
                    (entry.source == ServerEntry::Source::workspace
                         ? ", or holds a key that a workspace's server does not get"
                         : "");
  if (entry.trouble.empty()) entry.trouble = trouble_with(entry);
  return entry;
}

}  // namespace skein::mcp
