#include "providers/mcp/http_channel.h"

#include <doctest/doctest.h>

#include "core/mcp/protocol.h"
#include "core/mcp/rpc.h"

using namespace skein;
using namespace skein::mcp;

TEST_CASE("a header holds what is plain as it is, and everything else in base64") {
  CHECK(header_text("us-west 1") == "us-west 1");
  CHECK(header_text("") == "");
  CHECK(header_text(" x") == "=?base64?IHg=?=");
  CHECK(header_text("x ") == "=?base64?eCA=?=");
  CHECK(header_text("ü") == "=?base64?w7w=?=");
  CHECK(header_text("a\nb") == "=?base64?YQpi?=");
  CHECK(header_text("=?base64?eA==?=") == "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
}

TEST_CASE("only a request of the stateless protocol has headers of its own") {
  const auto headers = [](const std::string& method, Json params) {
    params["_meta"] = stateless_meta("1");
    return message_headers(rpc::request(1, method, params), {{"mcp-param-x", "é"}});
  };
  CHECK(headers("tools/call", {{"name", "do"}}) ==
        http::HttpHeaders{{"mcp-protocol-version", "2026-07-28"},
                          {"mcp-method", "tools/call"},
                          {"mcp-name", "do"},
                          {"mcp-param-x", "=?base64?w6k=?="}});
  CHECK(http::header_value(headers("resources/read", {{"uri", "a://b"}}), "mcp-name") == "a://b");
  CHECK(http::header_value(headers("tools/list", Json::object()), "mcp-name").empty());
  CHECK(message_headers(rpc::request(1, "tools/call", {{"name", "do"}}), {}).empty());
  CHECK(message_headers("no message", {}).empty());
}
