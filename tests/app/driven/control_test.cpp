#include "app/driven/control.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>

namespace skein::app::driven {

namespace {

// A client at the other end of two pipes.
struct Ends {
  Pipe to_skein = make_pipe(), from_skein = make_pipe();
  InputLines in{to_skein.read.get()};
  OutputLines out{from_skein.write.get()};

  void say(const std::string& line) const {
    REQUIRE(::write(to_skein.write.get(), line.data(), line.size()) ==
            static_cast<ssize_t>(line.size()));
  }
  std::string read() const {
    char buffer[4096];
    const ssize_t got = ::read(from_skein.read.get(), buffer, sizeof buffer);
    return {buffer, static_cast<std::size_t>(got > 0 ? got : 0)};
  }
};

bool never() { return false; }

Control::Form form() {
  return {"skein-",
          [](const std::string& id, const Json& request) -> Json {
            return {{"asks", id}, {"request", request}};
          },
          [](const std::string& id) -> Json {
            return {{"cancels", id}};
          }};
}

}  // namespace

TEST_CASE("a request gets its own answer, and only the first one") {
  Ends ends;
  Control* at = nullptr;
  int unknown = 0;
  Control control(
      ends.in, ends.out,
      [&] {
        while (const auto line = ends.in.next())
          if (const Json said = parse_json(line->text).value_or(Json());
              !at->answered(string_at(said, "request_id"), said))
            ++unknown;
      },
      form());
  at = &control;
  ends.say(
      "{\"request_id\":\"other\"}\n{\"request_id\":\"skein-1\",\"response\":1}\n"
      "{\"request_id\":\"skein-1\",\"response\":2}\n");
  const auto answer = control.ask({{"subtype", "x"}}, no_deadline, never);
  REQUIRE(answer);
  CHECK(int_at(*answer, "response") == 1);
  CHECK(ends.read().find("\"asks\":\"skein-1\"") != std::string::npos);
  ends.say("{}\n");
  while (unknown < 2)
    if (!control.ask({}, std::chrono::steady_clock::now() + std::chrono::milliseconds(20), never))
      continue;
  CHECK(unknown >= 2);
}

TEST_CASE("a request that nobody waits for any more is cancelled") {
  Ends ends;
  Control control(
      ends.in, ends.out, [&] { ends.in.next(); }, form());
  CHECK_FALSE(control.ask({{"subtype", "x"}}, std::chrono::steady_clock::now(), never));
  std::string said;
  while (said.find("cancels") == std::string::npos) said += ends.read();
  CHECK(said.find("asks") != std::string::npos);
  CHECK_FALSE(control.answered("skein-1", Json::object()));
}

TEST_CASE("after the end of the input there are no answers") {
  Ends ends;
  Control control(
      ends.in, ends.out, [] {}, form());
  bool told = false;
  control.send({{"subtype", "x"}}, [&](const Json& response) { told = response.is_null(); });
  control.end();
  CHECK(told);
  CHECK_FALSE(control.ask({{"subtype", "y"}}, no_deadline, never));
}

TEST_CASE("a line that is too long is skipped, and the next one is whole") {
  Ends ends;
  const std::string piece(1u << 20, 'x');
  for (int i = 0; i < 65; ++i) ends.say(piece);
  ends.say("\nnext\nlast");
  ends.to_skein.write.reset();
  std::vector<InputLines::Line> lines;
  while (!ends.in.ended()) {
    wait(ends.in.fd(), no_deadline);
    while (auto line = ends.in.next()) lines.push_back(*std::move(line));
  }
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].too_long);
  CHECK(lines[1].text == "next");
  CHECK(lines[2].text == "last");
}

TEST_CASE("a reader that takes nothing is given up on") {
  Ends ends;
  ends.out.send(std::string(1u << 20, 'x'));
  CHECK_FALSE(ends.out.finish(std::chrono::milliseconds(50)));
}

}  // namespace skein::app::driven
