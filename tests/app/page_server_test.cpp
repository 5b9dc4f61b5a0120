#include "app/page_server.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;
using app::most_head_bytes, app::read_request, app::ReadRequest;

namespace {

int refusal(const std::string& bytes) {
  const ReadRequest read = read_request(bytes);
  CHECK_FALSE(read.request.has_value());
  return read.status;
}

const std::string host = "Host: 127.0.0.1:80\r\n";

}  // namespace

TEST_CASE("the head of a GET is read with what the page needs of it") {
  const ReadRequest read =
      read_request("GET /events?after=3 HTTP/1.1\r\n" + host +
                   "COOKIE:  a=1; b=2 \r\nAccept: */*\r\nSec-Fetch-Site: same-origin\r\n\r\nrest");
  REQUIRE(read.request.has_value());
  CHECK(read.status == 0);
  CHECK(read.request->path == "/events");
  CHECK(read.request->query == "after=3");
  CHECK(read.request->host == "127.0.0.1:80");
  CHECK(read.request->cookies == "a=1; b=2");
  CHECK(read.request->fetch_site == "same-origin");
}

TEST_CASE("a head that is not complete waits for more, whatever has come of it") {
  const std::string whole = "GET / HTTP/1.0\r\n" + host + "\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ReadRequest read = read_request(whole.substr(0, size));
    CHECK_FALSE(read.request.has_value());
    CHECK(read.status == 0);
  }
  CHECK(read_request(whole).request.has_value());
}

TEST_CASE("a request that could mean two things is refused") {
  CHECK(refusal("POST / HTTP/1.1\r\n" + host + "\r\n") == 405);
  CHECK(refusal("GET / HTTP/2\r\n" + host + "\r\n") == 400);
  CHECK(refusal("GET /\r\n" + host + "\r\n") == 400);
  CHECK(refusal("GET http://x/ HTTP/1.1\r\n" + host + "\r\n") == 400);
  CHECK(refusal("GET /a\tb HTTP/1.1\r\n" + host + "\r\n") == 400);
  CHECK(refusal("GET / HTTP/1.1\r\n\r\n") == 400);
  CHECK(refusal("GET / HTTP/1.1\r\n" + host + host + "\r\n") == 400);
  CHECK(refusal("GET / HTTP/1.1\r\n" + host + " folded\r\n\r\n") == 400);
  CHECK(refusal("GET / HTTP/1.1\r\n" + host + "no colon\r\n\r\n") == 400);
  CHECK(refusal("\r\n\r\n") == 400);
}

TEST_CASE("a head that is too long is refused, whether it ends or not") {
  const std::string filler = "X: " + std::string(most_head_bytes, 'x') + "\r\n";
  CHECK(refusal("GET / HTTP/1.1\r\n" + host + filler) == 431);
  CHECK(refusal("GET / HTTP/1.1\r\n" + host + filler + "\r\n") == 431);
}
