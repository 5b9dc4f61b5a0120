// From a conversation to the request one model takes: suited, encoded, and read back as the server
// would read it.
#pragma once

#include "core/model/provider.h"
#include "providers/catalog/catalog.h"
#include "providers/keys.h"
#include "providers/wire/codecs.h"

namespace skein::providers {

const wire::Codec& codec_of(handover::WireFormat wire);

struct CheckedRequest {
  wire::WireRequest wire;
  std::vector<std::string> faults;  // rules it breaks: never sent unless empty
};
CheckedRequest make_request(const model::Context& context, const model::ModelRef& model,
                            const catalog::ProviderRow& provider, const catalog::ModelRow& known);

// What is recorded of a request with this body.
model::SentRequest sent_request(const JsonText& body, const model::ModelRef& model,
                                const catalog::ProviderRow& provider,
                                const catalog::ModelRow& known);

// How this provider is shown its key; it must want one.
std::pair<std::string, std::string> key_header(const catalog::ProviderRow& row,
                                               const std::string& key);
std::vector<std::string> variables_of(const catalog::ProviderRow& row);
KeySources key_sources(const catalog::ProviderRow& row);
// How the user gives this provider a key: "set OPENAI_API_KEY or run `skein login openai`".
std::string how_to_give_key(const catalog::ProviderRow& row);
// Why a key must not be sent to `base`; empty: it may.
std::string key_refusal(const catalog::ProviderRow& row, const std::string& base);

}  // namespace skein::providers
