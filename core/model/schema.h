// Whether the arguments of a call fit the schema of its tool.
#pragma once

#include <string>

#include "core/text/base.h"

namespace skein::model {

// Why a call cannot have meant this schema, looking at its top level only, as a sentence for the
// model; empty: it can.
std::string trouble_with_arguments(const JsonText& schema, const JsonText& input);

}  // namespace skein::model
