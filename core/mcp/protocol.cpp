#include "core/mcp/protocol.h"

#include "core/process/capture.h"
#include "core/text/encoding.h"
#include "core/text/text.h"

namespace skein::mcp {

namespace {

constexpr std::size_t kept_bytes = 64u << 20;

class CollectedContent {
 public:
  explicit CollectedContent(const model::ToolPorts& ports) : ports_(ports) {}

  void add(const Json& block) {
    const std::string type = string_at(block, "type");
    if (type == "text")
      text(string_at(block, "text"));
    else if (type == "image" || type == "audio")
      bytes(string_at(block, "data"), string_at(block, "mimeType"), type);
    else if (type == "resource_link")
      text(string_at(block, "uri") + " (" + string_at(block, "name", "unnamed") + ")");
    else if (type == "resource")
      resource(at(block, "resource"));
    else
      text("[a block of the type '" + std::string(utf8_prefix(type, 40)) + "' was left out]");
  }

  void text(const std::string& words) {
    if (texts_.size() > 0) texts_.add("\n");
    texts_.add(words);
  }

  model::ToolOutcome outcome(bool failed) {
    if (texts_.size() == 0 && images_.empty()) texts_.add("[no output]");
    model::ToolOutcome out;
    if (texts_.size() > 0) out.content.push_back(model::Text{texts_.text()});
    for (model::Image& image : images_) out.content.push_back(std::move(image));
    out.is_error = failed;
    if (texts_.is_cut() && ports_.keep_blob)
      texts_.with_whole([&](std::string_view whole) { out.blob = ports_.keep_blob(whole); });
    return out;
  }

 private:
  void resource(const Json& inner) {
    const std::string uri = string_at(inner, "uri");
    if (at(inner, "blob").is_string())
      bytes(string_at(inner, "blob"), string_at(inner, "mimeType"), uri);
    else
      text(uri + ":\n" + string_at(inner, "text"));
  }

  void bytes(const std::string& encoded, const std::string& mime, const std::string& what) {
    const std::optional<std::string> decoded = from_base64(encoded);
    if (!decoded) return text("[" + what + " could not be read: it is not base64]");
    // By its bytes, not by what the server calls it: a service refuses what does not match.
    const std::string_view kind = image_type(*decoded);
    const std::string blob = ports_.keep_blob ? ports_.keep_blob(*decoded) : std::string{};
    if (!blob.empty() && !kind.empty() && decoded->size() <= most_image_bytes) {
      images_.push_back({.mime_type = std::string(kind), .blob = blob});
      return;
    }
    text("[" + what + ", " + (mime.empty() ? "of no known type" : mime) + ", " +
         with_separators(decoded->size()) + " bytes" +
         (blob.empty() ? ", not kept]" : ", kept as " + blob + "]"));
  }

  const model::ToolPorts& ports_;
  process::Capture texts_{most_result_bytes, kept_bytes};
  std::vector<model::Image> images_{};
};

constexpr std::string_view annotation = "x-mcp-header";

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
  });
}

// How often the annotation occurs in the schema.
std::size_t annotations_in(const Json& schema) {
  std::size_t count = schema.is_object() && schema.contains(annotation) ? 1 : 0;
  if (schema.is_structured())
    for (const Json& each : schema) count += annotations_in(each);
  return count;
}

// Adds the arguments with the annotation to `found`; `path` leads to `schema`. False: one of them
// makes no sense.
bool find_annotated(const Json& schema, std::vector<std::string>& path,
                    std::vector<HeaderParameter>& found) {
  const Json& properties = at(schema, "properties");
  if (!properties.is_object()) return true;
  bool good = true;
  for (const auto& [name, property] : properties.items()) {
    path.push_back(name);
    if (property.is_object() && property.contains(annotation)) {
      const std::string header = string_at(property, annotation);
      const std::string type = string_at(property, "type");
      const bool taken = std::ranges::any_of(
          found, [&](const auto& each) { return lower(each.header) == lower(header); });
      good = good && is_token(header) && !taken && !type.empty() &&
             has_word("string integer boolean", type);
      found.push_back({path, header});
    }
    good = find_annotated(property, path, found) && good;
    path.pop_back();
  }
  return good;
}

std::optional<std::string> plain_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return value.dump();
  return std::nullopt;
}

constexpr std::string_view greeting_versions = "2024-11-05 2025-03-26 2025-06-18 2025-11-25";

bool supports_a_greeting(const Json& versions) {
  return std::ranges::any_of(strings_in(versions), is_stateful_version);
}

}  // namespace

bool is_stateful_version(std::string_view version) {
  return !version.empty() && has_word(greeting_versions, version);
}

bool asks_version(const ServerEntry& entry, ProtocolVersion known) {
  if (entry.protocol != ProtocolVersion::unknown)
    return entry.protocol == ProtocolVersion::stateless;
  return entry.over_http() && known != ProtocolVersion::stateful;
}

Json client_capabilities(bool stateless) {
  Json out{{"elicitation", {{"form", Json::object()}, {"url", Json::object()}}}};
  if (!stateless) out["roots"] = Json::object();  // withdrawn since
  return out;
}

Json client_info(const std::string& version) { return {{"name", "skein"}, {"version", version}}; }

Json stateless_meta(const std::string& our_version) {
  return {{"io.modelcontextprotocol/protocolVersion", stateless_version},
          {"io.modelcontextprotocol/clientCapabilities", client_capabilities(true)},
          {"io.modelcontextprotocol/clientInfo", client_info(our_version)}};
}

AfterProbe after_probe(const rpc::Failure& failure, const ServerEntry& entry) {
  const bool must_be_stateless = entry.protocol == ProtocolVersion::stateless;
  const int status = rpc::http_status_of(failure);
  if (failure.code == rpc::unsupported_version) {
    const bool greets = supports_a_greeting(at(failure.data, "supported"));
    return greets && !must_be_stateless ? AfterProbe::stateful : AfterProbe::none;
  }
  // An old server that keeps no sessions answers 200 and does not know the method either.
  const bool refused = status >= 400 && status < 500;
  if (failure.code == rpc::header_mismatch || failure.code == rpc::missing_capability ||
      (failure.code == rpc::unknown_method && (refused || must_be_stateless)))
    return AfterProbe::stateless;
  if (must_be_stateless || failure.code == rpc::not_reached) return AfterProbe::none;
  return AfterProbe::stateful;
}

std::optional<std::vector<HeaderParameter>> header_parameters(const Json& schema) {
  std::vector<std::string> path;
  std::vector<HeaderParameter> found;
  const bool good = find_annotated(schema, path, found);
  // One that no chain of properties leads to would not mean one argument.
  if (!good || annotations_in(schema) != found.size()) return std::nullopt;
  return found;
}

std::vector<std::pair<std::string, std::string>> parameter_headers(const Json& schema,
                                                                   const Json& arguments) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const HeaderParameter& each :
       header_parameters(schema).value_or(std::vector<HeaderParameter>{})) {
    const Json* value = &arguments;
    for (const std::string& name : each.path) value = &at(*value, name);
    if (const auto text = plain_value(*value))
      out.emplace_back("mcp-param-" + lower(each.header), *text);
  }
  return out;
}

model::ToolOutcome outcome_of(const Json& result, const model::ToolPorts& ports) {
  CollectedContent collected(ports);
  if (const std::vector<Json>& content = list_at(result, "content"); !content.empty())
    for (const Json& block : content) collected.add(block);
  else if (at(result, "structuredContent").is_object())
    collected.text(text_at(result, "structuredContent"));
  return collected.outcome(bool_at(result, "isError"));
}

}  // namespace skein::mcp
