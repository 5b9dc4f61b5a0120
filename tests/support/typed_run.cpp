#include "tests/support/typed_run.h"

#include <doctest/doctest.h>

#include <fstream>

namespace skein::test {

std::string TypedRun::scripted(std::string_view script) const {
  const std::string file = (dir.path() / "script.json").string();
  std::ofstream(file) << script;
  return "scripted/" + file;
}

void TypedRun::start(const std::vector<std::string>& words, std::string_view ready) {
  skein_ = pty.start_skein(folder, words);
  REQUIRE(pty.shows(ready));
}

void TypedRun::type(const std::vector<Exchange>& exchanges) {
  for (const Exchange& each : exchanges) {
    CAPTURE(each.typed);
    pty.forget();
    pty.type(each.typed);
    for (const std::string& text : each.shown) {
      CAPTURE(text);
      REQUIRE(pty.shows(text));
    }
  }
}

void TypedRun::leave(std::string_view last, int status) {
  pty.type(last);
  CHECK(pty.status_of(skein_) == status);
}

bool TypedRun::has_shown(std::string_view text) { return pty.shows(text, 0); }

}  // namespace skein::test
