#include "providers/wire/sse.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::wire;

namespace {

std::vector<SseEvent> parse(std::string_view bytes, std::size_t chunk = 0) {
  SseParser parser(1 << 20);
  std::vector<SseEvent> events;
  for (std::size_t at = 0; at < bytes.size(); at += chunk == 0 ? bytes.size() : chunk)
    for (SseEvent& event : parser.feed(bytes.substr(at, chunk == 0 ? bytes.npos : chunk)))
      events.push_back(std::move(event));
  if (std::optional<SseEvent> last = parser.finish()) events.push_back(std::move(*last));
  return events;
}

using Events = std::vector<SseEvent>;

}  // namespace

TEST_CASE("lines may end in LF, CRLF or CR, and in a mixture of them") {
  const Events expected{{"a", "1\n2"}, {"", "3"}};

  CHECK(parse("event: a\ndata: 1\ndata: 2\n\ndata: 3\n\n") == expected);
  CHECK(parse("event: a\r\ndata: 1\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n") == expected);
  CHECK(parse("event: a\rdata: 1\rdata: 2\r\rdata: 3\r\r") == expected);
  CHECK(parse("event: a\r\ndata: 1\rdata: 2\n\r\ndata: 3\n\r") == expected);
}

TEST_CASE("chunks of every size give the same events") {
  const std::string stream =
      "\xEF\xBB\xBF: hello\r\n\r\nevent: x\r\ndata: {\"a\":\r\ndata: \"\xC3\xA9\"}\r\n\r\n"
      "id: 7\rretry: 10\rdata:no space\r\rdata\n\nevent: only a name\n\ndata:  two spaces\n\n";
  const Events expected{
      {"x", "{\"a\":\n\"\xC3\xA9\"}"}, {"", "no space"}, {"", ""}, {"", " two spaces"}};

  CHECK(parse(stream) == expected);
  for (std::size_t chunk = 1; chunk < stream.size(); ++chunk)
    CHECK(parse(stream, chunk) == expected);
}

TEST_CASE("a carriage return at the end of a read may belong to a line feed in the next") {
  SseParser parser(1 << 20);

  CHECK(parser.feed("data: 1\r").empty());
  CHECK(parser.feed("\ndata: 2\r").empty());
  CHECK(parser.feed("\n\r") == Events{{"", "1\n2"}});
  CHECK(parser.feed("\ndata: 3\r\r") == Events{{"", "3"}});
}

TEST_CASE("comments and keep-alives are no events") {
  CHECK(parse(":\n\n: PROCESSING\n\n:\n\n").empty());
}

TEST_CASE("an event counts although the stream ends before its blank line") {
  CHECK(parse("data: 1\n\ndata: 2\n") == Events{{"", "1"}, {"", "2"}});
  CHECK(parse("data: 1\n\nevent: e\ndata: 2") == Events{{"", "1"}, {"e", "2"}});
  CHECK(parse("data: 1\n\nevent: e\n") == Events{{"", "1"}});
}

TEST_CASE("a byte order mark is skipped at the start and nowhere else") {
  CHECK(parse("\xEF\xBB\xBF"
              "data: 1\n\n\xEF\xBB\xBF"
              "data: 2\n\n") == Events{{"", "1"}});
}

TEST_CASE("a line or an event over the limit ends the parsing instead of the memory") {
  SseParser line(100);
  for (int i = 0; i < 1000; ++i) CHECK(line.feed("data: xx").empty());
  CHECK(line.over_limit());
  CHECK(line.feed("\n\ndata: 1\n\n").empty());
  CHECK(!line.finish());

  SseParser event(100);
  for (int i = 0; i < 1000; ++i) CHECK(event.feed("data: 0123456789\n").empty());
  CHECK(event.over_limit());
  CHECK(!event.finish());

  SseParser within(100);
  for (int i = 0; i < 1000; ++i) CHECK(within.feed("data: 0123456789\n\n").size() == 1);
  CHECK(!within.over_limit());
}

TEST_CASE("a copy of the parser goes on by itself") {
  SseParser parser(1 << 20);
  parser.feed("data: on");
  SseParser copy = parser;

  CHECK(parser.feed("e\n\n") == Events{{"", "one"}});
  CHECK(copy.feed("ly\n\n") == Events{{"", "only"}});
}

TEST_CASE("the number of the last whole event is kept, however it arrives") {
  wire::SseParser parser(1'000);
  parser.feed("id: 7\ndata: a\n\nid: 8\nda");
  CHECK(parser.last_id() == "7");
  parser.feed("ta: b\n\ndata: c\n\n");
  CHECK(parser.last_id() == "8");
}
