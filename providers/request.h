// From a conversation to the request one model takes: suited, encoded, and read back as the server
// would read it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/provider.h"
#include "providers/catalog.h"
#include "providers/codecs.h"

namespace skein {

const Codec& codec_of(WireFormat wire);

struct CheckedRequest {
  WireRequest wire;
  std::vector<std::string> faults;  // rules it breaks: never sent unless empty
};
CheckedRequest make_request(const Context& context, const ModelRef& model, const ProviderRow& row,
                            const ModelRow& known);

// How this provider is shown its key; it must want one.
std::pair<std::string, std::string> key_header(const ProviderRow& row, const std::string& key);
std::vector<std::string> variables_of(const ProviderRow& row);
// How the user gives this provider a key: "set OPENAI_API_KEY", say.
std::string how_to_give_key(const ProviderRow& row);
// Why a key must not be sent to `base`; empty: it may.
std::string key_refusal(const ProviderRow& row, const std::string& base);

}  // namespace skein
