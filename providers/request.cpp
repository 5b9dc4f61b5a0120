#include "providers/request.h"

#include "core/handover/normalize.h"
#include "providers/grammar/validator.h"
#include "providers/http/address.h"

namespace skein::providers {

const wire::Codec& codec_of(handover::WireFormat wire) {
  switch (wire) {
    case handover::WireFormat::anthropic: return wire::anthropic_messages;
    case handover::WireFormat::openai_chat: return wire::openai_chat;
    case handover::WireFormat::openai_responses: return wire::openai_responses;
    case handover::WireFormat::google: return wire::google_gemini;
  }
  return wire::openai_chat;
}

CheckedRequest make_request(const model::Context& context, const model::ModelRef& model,
                            const catalog::ProviderRow& provider, const catalog::ModelRow& known,
                            const handover::Preferences& wishes) {
  const catalog::ProviderRow row = catalog::routed(provider, model.model);
  const handover::Target target = catalog::target_of(row, known, model, wishes);
  const model::Context suited{context.system, handover::normalize(context.messages, target),
                              context.tools, context.session};
  CheckedRequest request{
      codec_of(row.wire).encode(suited, model, catalog::facts_of(row, known, model)), {}};
  request.faults = grammar::violations(target, request.wire.body,
                                       http::header_value(request.wire.headers, wire::beta_header));
  return request;
}

std::pair<std::string, std::string> key_header(const catalog::ProviderRow& row,
                                               const std::string& key) {
  switch (row.auth) {
    case catalog::Auth::bearer: return {"authorization", "Bearer " + key};
    case catalog::Auth::x_api_key: return {"x-api-key", key};
    case catalog::Auth::x_goog_api_key: return {"x-goog-api-key", key};
    case catalog::Auth::none: break;
  }
  return {};
}

std::vector<std::string> variables_of(const catalog::ProviderRow& row) {
  std::vector<std::string> names;
  for (const std::string_view name : row.key_variables)
    if (!name.empty()) names.emplace_back(name);
  return names;
}

std::string how_to_give_key(const catalog::ProviderRow& row) {
  const auto variables = variables_of(row);
  return variables.empty() ? "give [providers." + std::string(row.name) +
                                 "] a key-variable or a key-command, or key-needed = false"
                           : "set " + variables.front();
}

std::string key_refusal(const catalog::ProviderRow& row, const std::string& base) {
  if (row.allow_http || !http::is_in_clear(base)) return {};
  const std::string name(row.name);
  return "the key of " + name + " would go in clear to " + http::host_of(base) +
         "; use https://, or set allow-http = true in [providers." + name + "]";
}

}  // namespace skein::providers
