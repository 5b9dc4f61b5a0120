// The headers by which a message of the modern era can be routed without being read. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/mcp/channel.h"
#include "providers/http/http.h"

namespace skein::mcp {

// A value as a header can hold it: as it is, or in base64 with a mark around it.
std::string header_text(const std::string& value);

// For a request of the modern era; empty for any other message, which has none of its own.
http::HttpHeaders message_headers(std::string_view message, const Channel::Parameters& parameters);

}  // namespace skein::mcp
