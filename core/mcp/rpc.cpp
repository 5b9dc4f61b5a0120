#include "core/mcp/rpc.h"

#include <algorithm>
#include <limits>

namespace skein::mcp::rpc {

namespace {

Failure failure_in(const Json& error) {
  const std::int64_t code = int_at(error, "code", internal_error);
  return {static_cast<int>(std::clamp<std::int64_t>(code, std::numeric_limits<int>::min(),
                                                    std::numeric_limits<int>::max())),
          string_at(error, "message", "no reason was given")};
}

JsonText framed(Json message) {
  message["jsonrpc"] = "2.0";
  return dump(message);
}

}  // namespace

std::optional<Message> read(std::string_view line) {
  const std::optional<Json> value = parse_json(line);
  return value ? read_value(*value) : std::nullopt;
}

std::optional<Message> read_value(const Json& value) {
  if (!value.is_object() || string_at(value, "jsonrpc") != "2.0") return std::nullopt;
  Message message{.id = at(value, "id"), .method = string_at(value, "method")};
  if (!message.id.is_null() && !message.id.is_string() && !message.id.is_number_integer())
    return std::nullopt;
  if (at(value, "params").is_object()) message.params = at(value, "params");
  if (!message.method.empty()) return message;
  if (at(value, "error").is_object())
    message.failure = failure_in(at(value, "error"));
  else if (value.contains("result"))
    message.result = at(value, "result");
  else
    return std::nullopt;
  return message;
}

JsonText request(const Json& id, std::string_view method, const Json& params) {
  return framed({{"id", id}, {"method", method}, {"params", params}});
}

JsonText notification(std::string_view method, const Json& params) {
  Json message{{"method", method}};
  if (!params.empty()) message["params"] = params;
  return framed(std::move(message));
}

JsonText response(const Json& id, const Json& result) {
  return framed({{"id", id}, {"result", result}});
}

JsonText failure(const Json& id, const Failure& what) {
  return framed({{"id", id}, {"error", {{"code", what.code}, {"message", what.message}}}});
}

}  // namespace skein::mcp::rpc
