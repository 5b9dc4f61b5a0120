#include "repl/screen/activity.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace skein::screen;
using Lines = std::vector<std::string>;

TEST_CASE("of what a command prints the last lines are kept, however they arrive") {
  OutputTail tail;
  for (const char* piece : {"one\ntw", "o\n\n  \nthr", "ee"}) tail.feed(piece);
  CHECK(tail.last(5) == Lines{"one", "two", "three"});
  CHECK(tail.last(2) == Lines{"two", "three"});
  for (int i = 0; i < 1000; ++i) tail.feed("line " + std::to_string(i) + "\n");
  CHECK(tail.last(1) == Lines{"line 999"});
  CHECK(tail.last(100).size() == 20);
  tail.clear();
  CHECK(tail.last(5).empty());
}

TEST_CASE("a carriage return begins the line anew, and colours are left out") {
  OutputTail tail;
  tail.feed("10 %\r20 %\r\x1b[32m30 %\x1b[0m\r\ndone\r");
  CHECK(tail.last(5) == Lines{"30 %", "done"});
}

TEST_CASE("a line without an end takes no memory") {
  OutputTail tail;
  for (int i = 0; i < 1000; ++i) tail.feed(std::string(1000, 'x'));
  CHECK(tail.last(1).front().size() <= 400);
}
