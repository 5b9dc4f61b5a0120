#include "providers/request.h"

#include "core/normalize.h"
#include "providers/address.h"
#include "providers/validator.h"

namespace skein {

const Codec& codec_of(WireFormat wire) {
  switch (wire) {
    case WireFormat::anthropic: return anthropic_messages;
    case WireFormat::openai_chat: return openai_chat;
    case WireFormat::openai_responses: return openai_responses;
    case WireFormat::google: return google_gemini;
  }
  return openai_chat;
}

CheckedRequest make_request(const Context& context, const ModelRef& model, const ProviderRow& row,
                            const ModelRow& known) {
  Target target = target_for(row.wire, model.provider, model.model);
  target.takes_images = known.images;
  const Context suited{context.system, normalize(context.messages, target), context.tools};
  CheckedRequest request{codec_of(row.wire).encode(suited, model, facts_of(row, known, model)), {}};
  request.faults = violations(target, request.wire.body);
  return request;
}

std::pair<std::string, std::string> key_header(const ProviderRow& row, const std::string& key) {
  struct Header {
    Auth auth;
    const char* name;
    const char* prefix;
  };
  static constexpr Header headers[] = {{Auth::bearer, "authorization", "Bearer "},
                                       {Auth::x_api_key, "x-api-key", ""},
                                       {Auth::x_goog_api_key, "x-goog-api-key", ""}};
  for (const Header& header : headers)
    if (header.auth == row.auth) return {header.name, header.prefix + key};
  return {};
}

std::vector<std::string> variables_of(const ProviderRow& row) {
  std::vector<std::string> names;
  for (const std::string_view name : row.key_variables)
    if (!name.empty()) names.emplace_back(name);
  return names;
}

std::string how_to_give_key(const ProviderRow& row) {
  const auto variables = variables_of(row);
  return variables.empty() ? "give [providers." + std::string(row.name) +
                                 "] a key-variable or a key-command, or key-needed = false"
                           : "set " + variables.front();
}

std::string key_refusal(const ProviderRow& row, const std::string& base) {
  if (row.allow_http || !is_in_clear(base)) return {};
  const std::string name(row.name);
  return "the key of " + name + " would go in clear to " + host_of(base) +
         "; use https://, or set allow-http = true in [providers." + name + "]";
}

}  // namespace skein
