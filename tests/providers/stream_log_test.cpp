// What a request leaves in the maintainer's log, and what it does not.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/text/log.h"
#include "tests/support/model_server.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::providers;
using namespace skein::test;

TEST_CASE("a request that is tried again is in the log, without its key, its words or its answer") {
  for (const Dialect& dialect : dialects()) {
    CAPTURE(dialect.provider);
    const TempDir dir;
    start_log((dir / "state").string(), true);
    ModelServer server(dialect, [&](Connection& peer, int number) {
      if (number == 0)
        peer.answer(
            503,
            R"({"error":{"message":"overloaded; your key is )" + std::string(test_key) + "\"}}",
            "content-type: application/json\r\n");
      else
        play(peer, hello(dialect));
    });

    REQUIRE(model::plain_text(server.run()) == "Hello");

    const std::string log = read_file(log_file());
    start_log("", false);
    CAPTURE(log);
    const std::string model = " model=" + dialect.provider + "/" + dialect.model;
    std::size_t at = 0;
    for (const std::string& part :
         {std::string("http method=POST status=503 end=complete connect_ms="),
          std::string(" received_bytes="), std::string("warning "),
          " retry" + model + " attempt=1 status=503 wait_ms=",
          std::string("http method=POST status=200 end=complete connect_ms="),
          " request" + model + " attempt=2 messages=1 status=200\n"}) {
      CAPTURE(part);
      at = log.find(part, at);
      REQUIRE(at != std::string::npos);
    }
    CHECK(std::ranges::count(log, '\n') == 5);
    for (const std::string& secret :
         {std::string(test_key), std::string("overloaded"), std::string("Hello"),
          std::string("127.0.0.1"), std::string("\"hi\"")})
      CHECK(log.find(secret) == std::string::npos);
  }
}
