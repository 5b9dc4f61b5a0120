// What the program that drives skein may ask of it between and during turns.
#pragma once

#include "app/driven/driver.h"
#include "core/text/json.h"

namespace skein::app::driven::dialects {

// What a request may change besides the session.
struct RequestScope {
  Driver& driver;
  bool& asks;  // the client is asked about permissions
};

// The `response` to a control request. Throws Error if there is none: the request is not supported,
// or cannot be carried out.
Json answer_request(const RequestScope& scope, const Json& request);

}  // namespace skein::app::driven::dialects
