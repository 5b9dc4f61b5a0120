// What the tool `recall` finds: earlier sessions of the same project, searched like `skein search`
// does.
#pragma once

#include <string>

#include "core/store/session_store.h"
#include "core/tools/tools.h"

namespace skein::app {

// `store` must outlive it.
tools::Recall recall_in(store::SessionStore& store, const std::string& workspace);

}  // namespace skein::app
