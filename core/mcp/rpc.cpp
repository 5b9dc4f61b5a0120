#include "core/mcp/rpc.h"

#include "core/text/text.h"

namespace skein::mcp::rpc {

namespace {

constexpr const char* http_status = "skein/httpStatus";

Failure failure_in(const Json& error) {
  const std::int64_t code = int_at(error, "code", internal_error);
  return {static_cast<int>(std::clamp<std::int64_t>(code, std::numeric_limits<int>::min(),
                                                    std::numeric_limits<int>::max())),
          string_at(error, "message", "no reason was given"), at(error, "data")};
}

JsonText framed(Json message) {
  message["jsonrpc"] = "2.0";
  return dump(message);
}

}  // namespace

std::string shortened(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return valid_utf8(text);
  return valid_utf8(utf8_prefix(text, bytes)) + "…";
}

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

std::string version_in(const Message& message) {
  return string_at(at(message.params, "_meta"), "io.modelcontextprotocol/protocolVersion");
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
  Json error{{"code", what.code}, {"message", what.message}};
  if (!what.data.is_null()) error["data"] = what.data;
  return framed({{"id", id}, {"error", std::move(error)}});
}

int http_status_of(const Failure& failure) {
  return static_cast<int>(std::clamp<std::int64_t>(int_at(failure.data, http_status), 0, 999));
}

// What the server said besides is kept if there is room for a member.
Failure with_http_status(Failure what, int status) {
  if (!what.data.is_object()) what.data = Json::object();
  what.data[http_status] = status;
  return what;
}

std::string words_of(const Failure& failure) {
  const std::string code = failure.code > 0 ? "" : " (code " + std::to_string(failure.code) + ")";
  return shortened(failure.message, 4'000) + code;
}

}  // namespace skein::mcp::rpc
