#include "core/mcp/protocol.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::mcp;

namespace {

rpc::Failure http(int status, int code, const Json& data = {}) {
  return rpc::with_http_status({code, "no", data}, status);
}

}  // namespace

TEST_CASE("servers elsewhere are asked for their version, processes are not") {
  const ServerEntry process{.name = "p", .command = "x"}, web{.name = "w", .url = "https://x"};
  CHECK_FALSE(asks_version(process, ProtocolVersion::unknown));
  CHECK(asks_version(web, ProtocolVersion::unknown));
  CHECK(asks_version(web, ProtocolVersion::stateless));
  CHECK_FALSE(asks_version(web, ProtocolVersion::stateful));
  ServerEntry told = process;
  told.protocol = ProtocolVersion::stateless;
  CHECK(asks_version(told, ProtocolVersion::unknown));
  told = web;
  told.protocol = ProtocolVersion::stateful;
  CHECK_FALSE(asks_version(told, ProtocolVersion::unknown));
}

TEST_CASE("what a server does not like about the question shows its version") {
  const ServerEntry web{.name = "w", .url = "https://x"};
  CHECK(after_probe(http(400, rpc::header_mismatch), web) == AfterProbe::stateless);
  CHECK(after_probe(http(400, rpc::missing_capability), web) == AfterProbe::stateless);
  CHECK(after_probe(http(404, rpc::unknown_method), web) == AfterProbe::stateless);
  CHECK(after_probe(http(200, rpc::unknown_method), web) == AfterProbe::stateful);
  CHECK(after_probe(http(400, -32000), web) == AfterProbe::stateful);
  CHECK(after_probe(http(405, rpc::not_taken), web) == AfterProbe::stateful);
  CHECK(after_probe(http(0, rpc::not_reached), web) == AfterProbe::none);
  const Json old{{"supported", {"2025-06-18"}}}, other{{"supported", {"2031-01-01"}}};
  CHECK(after_probe(http(400, rpc::unsupported_version, old), web) == AfterProbe::stateful);
  CHECK(after_probe(http(400, rpc::unsupported_version, other), web) == AfterProbe::none);
  ServerEntry modern = web;
  modern.protocol = ProtocolVersion::stateless;
  CHECK(after_probe(http(405, rpc::not_taken), modern) == AfterProbe::none);
  CHECK(after_probe(http(400, rpc::unsupported_version, old), modern) == AfterProbe::none);
  CHECK(after_probe({rpc::unknown_method, "no"}, modern) == AfterProbe::stateless);
}
