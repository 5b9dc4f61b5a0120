// Text and JSON from anywhere, made fit for a request: valid UTF-8, no lone surrogate, no NUL.
#pragma once

#include "core/text/base.h"

namespace skein {

// Malformed UTF-8 becomes U+FFFD, NUL becomes U+2400 (its visible symbol).
std::string sendable(std::string_view text);
bool is_sendable(std::string_view text);

// Nothing but white space, by Unicode's list: servers refuse such texts as empty.
bool is_blank(std::string_view text);

// Whole groups of the plain alphabet, at least one.
bool is_base64(std::string_view text);

// Deeper than this, servers built on protocol buffers refuse a value.
inline constexpr int sendable_depth = 64;

// A JSON object that can be sent as it is.
bool is_sendable_object(std::string_view json);
// The same object made sendable. What is no object is wrapped in one, so that nothing is lost.
JsonText sendable_object(std::string_view json);

}  // namespace skein
