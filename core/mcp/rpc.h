// JSON-RPC 2.0, as the Model Context Protocol speaks it: one message made or read. Pure. For .cpp
// files only, as core/text/json.h is.
#pragma once

#include "core/text/base.h"
#include "core/text/json.h"

namespace skein::mcp::rpc {

inline constexpr int parse_error = -32700, invalid_request = -32600, unknown_method = -32601,
                     bad_parameters = -32602, internal_error = -32603, no_such_resource = -32002;
// Of the stateless protocol.
inline constexpr int header_mismatch = -32020, missing_capability = -32021,
                     unsupported_version = -32022;
// Ours, made up by a channel: the server cannot be reached, or refused with no word of the
// protocol.
inline constexpr int not_reached = 1, not_taken = 2;

struct Failure {
  int code = internal_error;
  std::string message{};
  Json data{};  // null: none
  bool operator==(const Failure&) const = default;
};
// The status of HTTP it came with, if a channel noted one; 0: not known.
int http_status_of(const Failure& failure);
Failure with_http_status(Failure failure, int status);
std::string words_of(const Failure& failure);  // for the model and the user to read
// What a server says, cut to a length and made UTF-8.
std::string shortened(const std::string& text, std::size_t bytes);

// What came from the other side. A request has a method and an id, a notification only a method, a
// response only an id.
struct Message {
  Json id{};  // a string, a whole number, or null: none
  std::string method{};
  Json params = Json::object();
  std::optional<Json> result{};
  std::optional<Failure> failure{};

  bool is_request() const { return !method.empty() && !id.is_null(); }
  bool is_notification() const { return !method.empty() && id.is_null(); }
  bool is_response() const { return method.empty(); }
};

// The version of the protocol that a stateless request names; empty: it is none.
std::string version_in(const Message& message);

// nullopt: it is none of the three.
std::optional<Message> read(std::string_view line);
std::optional<Message> read_value(const Json& value);

JsonText request(const Json& id, std::string_view method, const Json& params);
JsonText notification(std::string_view method, const Json& params = Json::object());
JsonText response(const Json& id, const Json& result);
JsonText failure(const Json& id, const Failure& what);

}  // namespace skein::mcp::rpc
