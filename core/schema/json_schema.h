// Whether a JSON value fits a JSON Schema.
#pragma once

#include "core/text/base.h"

namespace skein::schema {

// Why skein cannot check values by this schema: it is not one of an object, or says something that
// skein does not understand. Empty: it can.
std::string trouble_with_schema(const JsonText& schema);

// Why the value does not fit, with the place: "/items/0/name is missing". Empty: it fits. The
// schema must be one that there is no trouble with.
std::string misfit(const JsonText& schema, const JsonText& value);

}  // namespace skein::schema
