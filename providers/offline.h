// offline/demo: the embedded model. No network, no key; it answers by rule and says so.
#pragma once

#include "core/provider.h"

namespace skein {

class OfflineProvider : public Provider {
 public:
  Message stream(const Context& context, const ModelRef& model, const Ports& ports) override;
};

}  // namespace skein
