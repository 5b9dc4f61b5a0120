#include "providers/http/address.h"

#include <doctest/doctest.h>

#include "providers/request.h"

using namespace skein;
using namespace skein::http;

TEST_CASE("only what is this machine by definition counts as this machine") {
  for (const char* host : {"localhost", "LOCALHOST", "localhost.", "a.localhost", "127.0.0.1",
                           "127.8.9.10", "::1", "[::1]", "::ffff:127.0.0.1"}) {
    CAPTURE(host);
    CHECK(is_loopback(host));
  }
  for (const char* host :
       {"", "localhost.example", "notlocalhost", "127.example", "127.0.0.1.example", "128.0.0.1",
        "10.0.0.1", "0.0.0.0", "::2", "fe80::1", "::ffff:10.0.0.1", "localhost@example"}) {
    CAPTURE(host);
    CHECK(!is_loopback(host));
  }
}

TEST_CASE("http to another machine is in clear, however the address is written") {
  for (const char* url : {"http://example", "HTTP://example:80/v1", "http://localhost@example/",
                          "http://localhost:x@example", "http://[fe80::1]:8080",
                          "http://example?http://localhost", "http://127.0.0.1.example"}) {
    CAPTURE(url);
    CHECK(is_in_clear(url));
  }
  for (const char* url : {"https://example", "https://example/http://", "http://localhost:8080/v1",
                          "http://user:word@127.0.0.1:1", "http://[::1]:8080", "Http://[::1]"}) {
    CAPTURE(url);
    CHECK(!is_in_clear(url));
  }
  CHECK(host_of("https://u:p@Example.COM:8443/v1?x#y") == "example.com");
  CHECK(host_of("http://[FE80::1]:80") == "fe80::1");
}

TEST_CASE("a key goes in clear to another machine only where that is said") {
  catalog::ProviderRow row{.name = "work"};
  CHECK(providers::key_refusal(row, "http://u:p@models.example:8080") ==
        "the key of work would be sent unencrypted to models.example; use https://, or set "
        "allow-http = true in [providers.work]");
  CHECK(providers::key_refusal(row, "https://models.example").empty());
  CHECK(providers::key_refusal(row, "http://localhost:8080").empty());
  row.allow_http = true;
  CHECK(providers::key_refusal(row, "http://models.example").empty());
}
