// From a conversation to the request one model takes: suited, encoded, and read back as the server
// would read it.
#pragma once

#include <string>
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

}  // namespace skein
