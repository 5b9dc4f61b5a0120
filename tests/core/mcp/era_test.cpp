#include "core/mcp/era.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::mcp;

namespace {

rpc::Failure http(int status, int code, const Json& data = {}) {
  return rpc::with_http_status({code, "no", data}, status);
}

}  // namespace

TEST_CASE("servers elsewhere are asked for their era, processes are not") {
  const ServerEntry process{.name = "p", .command = "x"}, web{.name = "w", .url = "https://x"};
  CHECK_FALSE(asks_era(process, Era::unknown));
  CHECK(asks_era(web, Era::unknown));
  CHECK(asks_era(web, Era::modern));
  CHECK_FALSE(asks_era(web, Era::legacy));
  ServerEntry told = process;
  told.era = Era::modern;
  CHECK(asks_era(told, Era::unknown));
  told = web;
  told.era = Era::legacy;
  CHECK_FALSE(asks_era(told, Era::unknown));
}

TEST_CASE("what a server does not like about the question tells its era") {
  const ServerEntry web{.name = "w", .url = "https://x"};
  CHECK(after_probe(http(400, rpc::header_mismatch), web) == AfterProbe::modern);
  CHECK(after_probe(http(400, rpc::missing_capability), web) == AfterProbe::modern);
  CHECK(after_probe(http(404, rpc::unknown_method), web) == AfterProbe::modern);
  CHECK(after_probe(http(200, rpc::unknown_method), web) == AfterProbe::legacy);
  CHECK(after_probe(http(400, -32000), web) == AfterProbe::legacy);
  CHECK(after_probe(http(405, rpc::not_taken), web) == AfterProbe::legacy);
  CHECK(after_probe(http(0, rpc::not_reached), web) == AfterProbe::none);
  const Json old{{"supported", {"2025-06-18"}}}, other{{"supported", {"2031-01-01"}}};
  CHECK(after_probe(http(400, rpc::unsupported_version, old), web) == AfterProbe::legacy);
  CHECK(after_probe(http(400, rpc::unsupported_version, other), web) == AfterProbe::none);
  ServerEntry modern = web;
  modern.era = Era::modern;
  CHECK(after_probe(http(405, rpc::not_taken), modern) == AfterProbe::none);
  CHECK(after_probe(http(400, rpc::unsupported_version, old), modern) == AfterProbe::none);
  CHECK(after_probe({rpc::unknown_method, "no"}, modern) == AfterProbe::modern);
}
