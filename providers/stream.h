// Models behind HTTP: the one Provider for every row of the catalog.
#pragma once

#include <string>

#include "core/provider.h"
#include "providers/catalog.h"
#include "providers/http.h"
#include "providers/keys.h"

namespace skein {

class HttpProvider : public Provider {
 public:
  HttpProvider(const Catalog& catalog, Keyring& keys, const Patience& patience = {})
      : catalog_(catalog), keys_(keys), patience_(patience) {}

  // Normalizes, encodes and checks the context; sends it, again if that may help and nothing has
  // been shown yet; decodes the answer as it arrives. A failure is also told to the sink, as
  // delta::Failed, which says whether the request was too long. Throws only if a key command
  // fails or the network module is missing.
  Message stream(const Context& context, const ModelRef& model, const Ports& ports) override;

 private:
  const Catalog& catalog_;
  Keyring& keys_;
  Patience patience_;
};

}  // namespace skein
