// Servers that say what no server would: each ends in a sentence, soon, and with bounded memory.
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <string>

#include "core/store/postgres/database_backend.h"
#include "tests/support/loopback_server.h"

using namespace skein;
using namespace skein::test;

namespace {

std::string number(std::uint32_t value, int bytes = 4) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift & 0xff);
  return out;
}

std::string message(char type, const std::string& body) {
  return type + number(static_cast<std::uint32_t>(body.size() + 4)) + body;
}

std::string parameter(const std::string& name, const std::string& value) {
  return message('S', name + '\0' + value + '\0');
}

// Up to where a client may ask.
std::string welcome() {
  return message('R', number(0)) + parameter("server_version", "15.0") +
         parameter("in_hot_standby", "off") + parameter("default_transaction_read_only", "off") +
         parameter("client_encoding", "UTF8") + message('Z', "I");
}

// What comes before it was asked for would only be passed over.
void greet(Connection& connection) {
  connection.take_bytes();  // who it is
  connection.send(welcome());
  connection.take_bytes();  // what it asks
}

std::string notice() { return message('N', std::string("SNOTICE\0C00000\0Mhello\0", 22) + '\0'); }

std::string row_of(std::uint32_t type, const std::string& bytes) {
  return message('T', number(1, 2) + "x" + '\0' + number(0) + number(0, 2) + number(type) +
                          number(8, 2) + number(0) + number(1, 2)) +
         message('D', number(1, 2) + number(static_cast<std::uint32_t>(bytes.size())) + bytes) +
         message('C', std::string("SELECT 1") + '\0') + message('Z', "I");
}

void send_for_ever(Connection& connection, const std::string& piece) {
  std::string block;
  while (block.size() < 60'000) block += piece;
  while (connection.send(block)) continue;
}

std::string address_of(const LoopbackServer& server) {
  return "postgresql://u@127.0.0.1:" + std::to_string(server.port()) +
         "/x?sslmode=disable&gssencmode=disable";
}

std::string complaint(const LoopbackServer::Script& script) {
  LoopbackServer server(script);
  try {
    store::postgres::DatabaseBackend backend(address_of(server));
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::storage);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("what a callback of the module throws comes out of the call") {
  LoopbackServer server([](Connection& connection) {
    greet(connection);
    connection.send(message('1', "") + message('2', "") + row_of(25, "x"));
    connection.wait_until_closed();
  });
  auto opened = store::postgres::open_link(address_of(server));
  REQUIRE(opened);
  store::postgres::Link& link = **opened;
  std::uint64_t changed = 0;
  CHECK_THROWS_WITH_AS(
      link.run(
          {"", "select"}, {}, [](store::postgres::Row) { throw Error("row"); }, changed),
      "row", Error);
  int calls = 0;
  const auto at_the_second = [&] { return ++calls > 1 ? throw Error("no") : 0u; };
  LoopbackServer silent([](Connection& connection) { connection.wait_until_closed(); });
  CHECK_THROWS_WITH_AS(
      store::postgres::open_link(address_of(silent), {.interrupts = at_the_second}), "no", Error);
}

TEST_CASE("a server that does not keep to the protocol ends in a sentence") {
  struct Hostile {
    std::string name;
    LoopbackServer::Script script;
  };
  const std::string one_parsed = message('1', "") + message('2', "");
  const Hostile servers[] = {
      {"hangs up", [](Connection& c) { c.reset(); }},
      {"another protocol", [](Connection& c) { c.send("HTTP/1.1 200 OK\r\n\r\n"); }},
      {"noise", [](Connection& c) { send_for_ever(c, "\x01\xff\x7f\x80garbage"); }},
      {"notices before it is asked",
       [](Connection& c) {
         c.send(message('R', number(0)));
         send_for_ever(c, notice());
       }},
      {"settings without end",
       [](Connection& c) {
         c.send(message('R', number(0)));
         send_for_ever(c, parameter("a", std::string(500, 'b')));
       }},
      {"notices instead of an answer",
       [](Connection& c) {
         greet(c);
         send_for_ever(c, notice());
       }},
      {"a row of two gigabytes",
       [&](Connection& c) {
         greet(c);
         c.send(one_parsed +
                message('T', number(1, 2) + "x" + '\0' + number(0) + number(0, 2) + number(25) +
                                 number(8, 2) + number(0) + number(1, 2)) +
                "D" + number(0x7fff0000) + number(1, 2) + number(0x7ffe0000));
         send_for_ever(c, std::string(1000, 'x'));
       }},
      {"rows without end",
       [&](Connection& c) {
         greet(c);
         c.send(one_parsed +
                message('T', number(1, 2) + "x" + '\0' + number(0) + number(0, 2) + number(25) +
                                 number(8, 2) + number(0) + number(1, 2)));
         send_for_ever(c, message('D', number(1, 2) + number(1000) + std::string(1000, 'x')));
       }},
      {"another type than was asked for",
       [&](Connection& c) {
         greet(c);
         c.send(one_parsed + row_of(23, number(7)));
         c.wait_until_closed();
       }},
      {"a copy instead of rows",
       [&](Connection& c) {
         greet(c);
         c.send(one_parsed + message('H', number(0, 1) + number(0, 2)));
         c.wait_until_closed();
       }},
  };
  for (const Hostile& hostile : servers) {
    CAPTURE(hostile.name);
    const auto begun = std::chrono::steady_clock::now();
    const std::string said = complaint(hostile.script);
    CHECK_FALSE(said.empty());
    CHECK(said.find("database") != std::string::npos);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::minutes(2));
  }
}
