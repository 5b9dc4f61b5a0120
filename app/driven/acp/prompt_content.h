// The content of a prompt as editors send it, read into skein's own.
#pragma once

#include "app/driven/driver.h"
#include "core/text/json.h"

namespace skein::app::driven::acp {

// Files that are linked are attached; what the editor has read itself is taken as it is. Throws
// RequestError for a content that skein does not take.
ClientPrompt prompt_of(const Json& blocks);

}  // namespace skein::app::driven::acp
