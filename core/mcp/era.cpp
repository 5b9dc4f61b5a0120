#include "core/mcp/era.h"

#include <algorithm>

#include "core/text/text.h"

namespace skein::mcp {

namespace {

constexpr std::string_view greeting_versions = "2024-11-05 2025-03-26 2025-06-18 2025-11-25";

bool supports_a_greeting(const Json& versions) {
  return versions.is_array() && std::ranges::any_of(versions, [](const Json& each) {
           return each.is_string() && is_greeting_version(each.get<std::string>());
         });
}

}  // namespace

bool is_greeting_version(std::string_view version) {
  return !version.empty() && has_word(greeting_versions, version);
}

bool asks_era(const ServerEntry& entry, Era known) {
  if (entry.era != Era::unknown) return entry.era == Era::modern;
  return entry.over_http() && known != Era::legacy;
}

Json client_capabilities(bool modern) {
  Json out{{"elicitation", {{"form", Json::object()}, {"url", Json::object()}}}};
  if (!modern) out["roots"] = Json::object();  // withdrawn since
  return out;
}

Json client_info(const std::string& version) { return {{"name", "skein"}, {"version", version}}; }

Json modern_meta(const std::string& our_version) {
  return {{"io.modelcontextprotocol/protocolVersion", modern_version},
          {"io.modelcontextprotocol/clientCapabilities", client_capabilities(true)},
          {"io.modelcontextprotocol/clientInfo", client_info(our_version)}};
}

AfterProbe after_probe(const rpc::Failure& failure, const ServerEntry& entry) {
  const bool must_be_modern = entry.era == Era::modern;
  const int status = rpc::http_status_of(failure);
  if (failure.code == rpc::unsupported_version) {
    const bool greets = supports_a_greeting(at(failure.data, "supported"));
    return greets && !must_be_modern ? AfterProbe::legacy : AfterProbe::none;
  }
  // An old server that keeps no sessions answers 200 and does not know the method either.
  const bool refused = status >= 400 && status < 500;
  if (failure.code == rpc::header_mismatch || failure.code == rpc::missing_capability ||
      (failure.code == rpc::unknown_method && (refused || must_be_modern)))
    return AfterProbe::modern;
  if (must_be_modern || failure.code == rpc::not_reached) return AfterProbe::none;
  return AfterProbe::legacy;
}

}  // namespace skein::mcp
