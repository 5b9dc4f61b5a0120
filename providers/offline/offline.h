// offline/demo: the embedded model. No network, no key; it answers by rule and says so.
#pragma once

#include <chrono>

#include "core/model/provider.h"

namespace skein::offline {

// The time between two words, so that streaming and stopping can be seen: SKEIN_DEMO_PACE in
// milliseconds, 0 for none; 12 without it.
std::chrono::milliseconds demo_pace();

class OfflineProvider : public model::Provider {
 public:
  explicit OfflineProvider(std::chrono::milliseconds pace = demo_pace()) : pace_(pace) {}
  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports& ports) override;

 private:
  std::chrono::milliseconds pace_;
};

}  // namespace skein::offline
