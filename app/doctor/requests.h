// Builds the requests of a session again from its log and compares them with the hashes that were
// recorded when they were sent.
#pragma once

#include "core/store/session_store.h"
#include "providers/catalog/catalog.h"

namespace skein::doctor {

struct RequestCheck {
  enum class Result { same, differs, unknown } result = Result::unknown;
  Id answer{};
  std::string note{};  // why it cannot be checked, or how it differs and which entries may be why
};

// One for each answer, in the order they were written.
std::vector<RequestCheck> check_requests(store::SessionStore& store, Id session,
                                         const catalog::Catalog& catalog);

}  // namespace skein::doctor
