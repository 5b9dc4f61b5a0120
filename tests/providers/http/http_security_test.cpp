// What a server, a proxy or a redirect must not get or do: TLS, and keys that stay at home.
#include <doctest/doctest.h>

#include "providers/http/http.h"
#include "tests/support/certificates.h"
#include "tests/support/environment.h"
#include "tests/support/loopback_server.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::http;
using namespace skein::test;
using End = HttpResponse::End;

namespace {

constexpr const char* secret = "sk-test-0123456789";

HttpRequest with_keys(const std::string& url) {
  return {.url = url,
          .headers = {{"authorization", std::string("Bearer ") + secret},
                      {"x-api-key", secret},
                      {"x-goog-api-key", secret},
                      {"anthropic-version", "2023-06-01"}},
          .body = "{}"};
}

HttpAnswer exchange(const HttpRequest& request) {
  HttpAnswer answer;
  HttpHandlers handlers;
  handlers.on_body = [&](std::string_view piece) { return answer.body += piece, true; };
  answer.response = http_exchange(request, handlers, {});
  return answer;
}

std::string location(const std::string& url) { return "location: " + url + "\r\n"; }

}  // namespace

TEST_CASE("TLS is verified, always") {
  const TempDir dir;
  const Authority authority;
  authority.write_certificate(dir / "ca.pem");
  const Environment bundle("CURL_CA_BUNDLE", nullptr);
  const Environment folder("SSL_CERT_DIR", nullptr);
  const Environment file("SSL_CERT_FILE", (dir / "ca.pem").c_str());
  std::string received;
  const auto script = [&](Connection& peer) {
    received = peer.request();
    peer.answer(200, "ok");
  };

  SUBCASE("a certificate of an authority in SSL_CERT_FILE is good") {
    const TlsContext context = authority.server();
    LoopbackServer server(script, context.get());
    CHECK(exchange(with_keys(server.url())).body == "ok");
    CHECK(received.find(secret) != std::string::npos);
  }
  SUBCASE("anything else is refused before a byte of the request is sent") {
    struct Bad {
      std::string name;
      CertificateWish wish;
    };
    for (const Bad& bad :
         {Bad{"expired", {.valid_from = -7200, .valid_to = -3600}},
          Bad{"not yet valid", {.valid_from = 3600, .valid_to = 7200}},
          Bad{"another host", {.host = "example.org"}}, Bad{"self-signed", {.self_signed = true}},
          Bad{"an old protocol", {.old_protocol = true}}}) {
      CAPTURE(bad.name);
      const TlsContext context = authority.server(bad.wish);
      LoopbackServer server(script, context.get());
      const HttpAnswer answer = exchange(with_keys(server.url()));
      CHECK(answer.response.end == End::unreachable);
      CHECK_FALSE(answer.response.again);
      CHECK(answer.response.trouble.find("localhost") != std::string::npos);
      CHECK(received.empty());
    }
  }
  SUBCASE("an authority nobody named is not trusted") {
    const Authority stranger;
    const TlsContext context = stranger.server();
    LoopbackServer server(script, context.get());
    const HttpAnswer answer = exchange(with_keys(server.url()));
    CHECK(answer.response.end == End::unreachable);
    CHECK(answer.response.trouble.starts_with("the certificate of localhost:"));
  }
  SUBCASE("a CA file that is not there is said to be missing") {
    const Environment missing("SSL_CERT_FILE", (dir / "none.pem").c_str());
    const TlsContext context = authority.server();
    LoopbackServer server(script, context.get());
    CHECK(exchange(with_keys(server.url())).response.trouble.find("SSL_CERT_FILE") !=
          std::string::npos);
  }
  SUBCASE("a redirect away from encryption is not followed") {
    LoopbackServer plain(script);
    const TlsContext context = authority.server();
    LoopbackServer server(
        [&](Connection& peer) {
          peer.request();
          peer.answer(307, "", location(plain.url()));
        },
        context.get());
    CHECK(exchange(with_keys(server.url())).response.end == End::unreachable);
    CHECK(plain.connections() == 0);
  }
}

TEST_CASE("a redirect to another host gets no key and no body") {
  std::string received;
  const auto target = [&](Connection& peer) {
    received = peer.request();
    peer.answer(200, "ok");
  };

  SUBCASE("to another port") {
    for (const int status : {301, 302, 307, 308}) {
      CAPTURE(status);
      LoopbackServer other(target);
      LoopbackServer server([&](Connection& peer) {
        peer.request();
        peer.answer(status, "moved", location(other.url("/new")));
      });
      HttpRequest request = with_keys(server.url());
      CHECK(exchange(request).response.end == End::unreachable);
      CHECK(other.connections() == 0);
      request.method = "GET";
      request.body.clear();
      CHECK(exchange(request).body == "ok");
      CHECK(received.starts_with("GET /new "));
      CHECK(received.find(secret) == std::string::npos);
      CHECK(received.find("anthropic-version") != std::string::npos);
    }
  }
  SUBCASE("to another name of the same machine") {
    LoopbackServer server([&](Connection& peer) {
      const std::string request = peer.request();
      if (request.starts_with("POST /new ")) {
        received = request;
        peer.answer(200, "ok");
      } else {
        peer.answer(307, "",
                    location("http://localhost:" + std::to_string(server.port()) + "/new"));
      }
    });
    CHECK(exchange(with_keys(server.url())).response.trouble.find("redirects to localhost") !=
          std::string::npos);
    CHECK(received.empty());
  }
  SUBCASE("within the host") {
    LoopbackServer server([&](Connection& peer) {
      peer.request();
      peer.answer(308, "moved", "location: /new\r\n");
      received = peer.request();
      peer.answer(200, "ok");
    });
    CHECK(exchange(with_keys(server.url())).body == "ok");
    CHECK(received.find(secret) != std::string::npos);
  }
}

TEST_CASE("a redirect loop ends") {
  LoopbackServer server([&](Connection& peer) {
    while (!peer.request().empty()) peer.answer(307, "", "location: /again\r\n");
  });
  const HttpAnswer answer = exchange(with_keys(server.url()));
  CHECK(answer.response.end == End::unreachable);
  CHECK(answer.response.trouble == "redirected more than 5 times");
}

TEST_CASE("a redirect with an endless body ends") {
  LoopbackServer server([&](Connection& peer) {
    peer.request();
    peer.send("HTTP/1.1 307 Moved\r\nlocation: /new\r\ntransfer-encoding: chunked\r\n\r\n");
    const std::string block(65536, 'x');
    while (peer.chunk(block)) {
    }
  });
  CHECK(exchange(with_keys(server.url())).response.end == End::cut);
}

TEST_CASE("a proxy from the environment is used, and sees no key of a secure request") {
  std::string received;
  LoopbackServer proxy([&](Connection& peer) {
    received = peer.request();
    peer.answer(407, "who are you?", "proxy-authenticate: Basic\r\n");
  });
  const Environment all("HTTPS_PROXY", proxy.url().c_str());
  const Environment lower("https_proxy", nullptr);

  const HttpAnswer answer = exchange(with_keys("https://model.invalid/v1"));

  CHECK(received.starts_with("CONNECT model.invalid:443 "));
  CHECK(received.find(secret) == std::string::npos);
  CHECK(answer.response.end == End::unreachable);
  CHECK_FALSE(answer.response.again);
  CHECK(answer.response.trouble == "the proxy refused the connection (407); check HTTPS_PROXY");
}

TEST_CASE("servers on this machine are never asked through a proxy") {
  LoopbackServer proxy([](Connection& peer) { peer.request(); });
  const Environment all("http_proxy", proxy.url().c_str());
  LoopbackServer server([](Connection& peer) {
    peer.request();
    peer.answer(200, "ok");
  });
  CHECK(exchange(with_keys(server.url())).body == "ok");
  CHECK(proxy.connections() == 0);
}
