#include "core/mcp/server_entry.h"

#include "core/text/json.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

constexpr std::size_t longest_name = 40;  // of a tool's 64 letters its own name needs some

bool is_name_letter(char c) { return is_alphanumeric(c) || c == '_' || c == '-'; }

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
    return "the old transport sse is not supported; if its address ends in /sse, try /mcp and "
           "\"type\": \"http\"";
  return "its type is '" + type + "'; there are stdio and http";
}

ServerEntry read_server(const std::string& name, const Json& value) {
  ServerEntry entry{.name = name};
  entry.trouble = trouble_with_name(name);
  if (!entry.trouble.empty()) return entry;
  if (!value.is_object()) {
    entry.trouble = "it is not a JSON object";
    return entry;
  }
  entry.command = string_at(value, "command");
  entry.arguments = strings_in(at(value, "args"));
  entry.environment = texts_of(at(value, "env"));
  entry.folder = string_at(value, "cwd");
  entry.url = string_at(value, "url");
  entry.headers = texts_of(at(value, "headers"));
  if (const std::int64_t seconds = int_at(value, "timeout"); seconds > 0)
    entry.timeout = std::chrono::seconds(std::min<std::int64_t>(seconds, 1800));
  entry.enabled = bool_at(value, "enabled", true) && !bool_at(value, "disabled");
  entry.always_direct = bool_at(value, "alwaysLoad");
  entry.exposures = texts_of(at(value, "tools"));
  entry.protocol =
      protocol_version_named(string_at(value, "protocol")).value_or(ProtocolVersion::unknown);
  entry.trouble = trouble_with_type(string_at(value, "type"));
  if (entry.trouble.empty()) entry.trouble = trouble_with(entry);
  return entry;
}

// With the values of its variables; the first that has none becomes `missing`.
std::string filled(const std::string& text, const Variables& variables, std::string& missing) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find("${", at);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return out + text.substr(at);
    out += text.substr(at, open - at);
    at = close + 1;
    const std::string inside = text.substr(open + 2, close - open - 2);
    const std::size_t otherwise = inside.find(":-");
    const std::optional<std::string> value = variables(inside.substr(0, otherwise));
    if (value && (!value->empty() || otherwise == std::string::npos))
      out += *value;
    else if (otherwise != std::string::npos)
      out += inside.substr(otherwise + 2);
    else if (missing.empty())
      missing = inside;
  }
  return out;
}

}  // namespace

std::string_view name(ServerEntry::Source source) {
  constexpr std::string_view names[] = {"user", "flag", "workspace"};
  return names[static_cast<std::size_t>(source)];
}

std::optional<ProtocolVersion> protocol_version_named(std::string_view name) {
  if (name == "auto") return ProtocolVersion::unknown;
  if (name == "legacy") return ProtocolVersion::stateful;
  if (name == "modern") return ProtocolVersion::stateless;
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
    return "a server's name cannot contain __, or begin or end with _";
  return {};
}

std::string trouble_with(const ServerEntry& entry) {
  const bool http = entry.url.starts_with("https://") || entry.url.starts_with("http://");
  const bool variable = entry.url.starts_with("${");
  if (entry.command.empty() == entry.url.empty())
    return entry.command.empty() ? "it has neither a command nor a url"
                                 : "it has both a command and a url; remove one of them";
  if (entry.command.empty() && !http && !variable)
    return "its url does not begin with http:// or https://";
  const bool runs = std::ranges::any_of(
      entry.headers, [](const auto& header) { return header.second.starts_with('!'); });
  if (runs && entry.source == ServerEntry::Source::workspace)
    return "a header that a command prints is allowed only in your own configuration";
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
  std::string missing;
  const auto fill = [&](std::string& text) { text = filled(text, variables, missing); };
  for (std::string* text : {&entry.command, &entry.folder, &entry.url}) fill(*text);
  for (std::string& text : entry.arguments) fill(text);
  for (auto* texts : {&entry.environment, &entry.headers})
    for (auto& [key, text] : *texts) fill(text);
  if (entry.trouble.empty() && !missing.empty())
    entry.trouble = "the variable " + missing + " is not set" +
                    (entry.source == ServerEntry::Source::workspace
                         ? ", or holds a key that a workspace's server does not get"
                         : "");
  if (entry.trouble.empty()) entry.trouble = trouble_with(entry);
  return entry;
}

}  // namespace skein::mcp
