// What the log records of a request, in the meta of its answer, and the same request built again
// from the log. Pure.
#pragma once

#include "core/context/build_context.h"
#include "core/model/entry.h"
#include "core/model/provider.h"

namespace skein::context {

// Adds what the provider does not know.
void complete(model::SentRequest& sent, const BuiltContext& built, const model::ModelRef& model);

JsonText request_meta(const model::SentRequest& sent);  // of the answer
std::optional<model::SentRequest> request_in_meta(
    const model::Entry& answer);  // none: not recorded

// The request that `sent` describes. `path` goes from its root to the answer's parent; images are
// not loaded. nullopt: the path does not say how the request begins.
std::optional<model::Context> request_again(std::span<const model::Entry> path,
                                            const model::SentRequest& sent);

}  // namespace skein::context
