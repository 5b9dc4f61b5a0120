// Models behind HTTP: the one Provider for every row of the catalog.
#pragma once

#include "core/model/provider.h"
#include "providers/catalog/catalog.h"
#include "providers/http/http.h"
#include "providers/keys.h"

namespace skein::providers {

class HttpProvider : public model::Provider {
 public:
  HttpProvider(const catalog::Catalog& catalog, Keyring& keys, const http::Timeouts& timeouts = {})
      : catalog_(catalog), keys_(keys), timeouts_(timeouts) {}

  // Normalizes, encodes and checks the context; sends it, again if that may help and nothing has
  // been shown yet; decodes the answer as it arrives. A failure is also sent to the sink, as
  // delta::Failed, which says whether the request was too long. Throws only if a key command
  // fails or the network module is missing.
  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports& ports) override;

 private:
  const catalog::Catalog& catalog_;
  Keyring& keys_;
  http::Timeouts timeouts_;
};

}  // namespace skein::providers
