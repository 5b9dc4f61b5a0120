#include "providers/request.h"

#include "core/handover/normalize.h"
#include "core/text/checksum.h"
#include "core/text/json.h"
#include "providers/grammar/validator.h"
#include "providers/http/address.h"

namespace skein::providers {

namespace {

Json row_of(const auto&... values) { return Json::array({values...}); }

// The names are bound so that a new member cannot be forgotten.
Json values_of(const handover::Target& target) {
  const auto& [provider, model, wire, alias, ids, images, images_in, image_bytes, unsigned_thinking,
               ends_in, signed_calls, call_ids, reasons, bound, family, bridge] = target;
  return row_of(provider, model, static_cast<int>(wire), alias, ids.max, ids.exact,
                ids.alphanumeric, images, images_in, image_bytes, unsigned_thinking, ends_in,
                signed_calls, call_ids, reasons, bound, family, bridge);
}

Json values_of(const wire::ModelFacts& facts) {
  const auto& [output, images, thinking, off, levels, betas, bound, display, role, field, usage,
               reasons, images_in, signed_calls, call_ids] = facts;
  Json taken = Json::array();
  for (std::size_t level = 0; level < model::thinking_levels; ++level)
    taken.push_back(levels.has(static_cast<model::ThinkingLevel>(level)));
  return row_of(output, images, static_cast<int>(thinking), off, taken, betas, bound, display, role,
                field, usage, reasons, images_in, signed_calls, call_ids);
}

}  // namespace

const wire::Codec& codec_of(handover::WireFormat wire) {
  constexpr const wire::Codec* codecs[] = {&wire::anthropic_messages, &wire::openai_chat,
                                           &wire::openai_responses, &wire::google_gemini};
  return *codecs[static_cast<std::size_t>(wire)];
}

CheckedRequest make_request(const model::Context& context, const model::ModelRef& model,
                            const catalog::ProviderRow& provider, const catalog::ModelRow& known) {
  const catalog::ProviderRow row = catalog::routed(provider, model.model);
  const handover::Target target = catalog::target_of(row, known, model);
  const model::Context suited{context.system, handover::normalize(context.messages, target),
                              context.tools, context.session};
  CheckedRequest request{
      codec_of(row.wire).encode(suited, model, catalog::facts_of(row, known, model)), {}};
  request.faults = grammar::violations(target, request.wire.body,
                                       http::header_value(request.wire.headers, wire::beta_header));
  return request;
}

model::SentRequest sent_request(const JsonText& body, const model::ModelRef& model,
                                const catalog::ProviderRow& provider,
                                const catalog::ModelRow& known) {
  const catalog::ProviderRow row = catalog::routed(provider, model.model);
  const Json settings = row_of(values_of(catalog::target_of(row, known, model)),
                               values_of(catalog::facts_of(row, known, model)));
  return {.sha256 = sha256_hex(body),
          .bytes = static_cast<std::int64_t>(body.size()),
          .wire = wire::request_version,
          .settings = sha256_hex(dump(settings)).substr(0, 16)};
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

KeySources key_sources(const catalog::ProviderRow& row) {
  return {variables_of(row), std::string(row.key_command), std::string(row.name)};
}

std::string how_to_give_key(const catalog::ProviderRow& row) {
  const auto variables = variables_of(row);
  const std::string name(row.name);
  const std::string login = "run `skein login " + name + "`";
  return variables.empty() ? login + " or give [providers." + name +
                                 "] a key-variable, a key-command or key-needed = false"
                           : "set " + variables.front() + " or " + login;
}

std::string key_refusal(const catalog::ProviderRow& row, const std::string& base) {
  if (row.allow_http || !http::is_in_clear(base)) return {};
  const std::string name(row.name);
  return "the key of " + name + " would be sent unencrypted to " + http::host_of(base) +
         "; use https://, or set allow-http = true in [providers." + name + "]";
}

}  // namespace skein::providers
