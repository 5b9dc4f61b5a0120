#include "core/text/pattern.h"

#include <doctest/doctest.h>

#include <string>
#include <tuple>

using namespace skein;

TEST_CASE("globs match as git's do") {
  const std::tuple<const char*, const char*, bool> cases[] = {{"*.o", "a.o", true},
                                                              {"*.o", "a.c", false},
                                                              {"*.o", "d/a.o", false},
                                                              {"a?c", "abc", true},
                                                              {"a?c", "a/c", false},
                                                              {"[a-c]x", "bx", true},
                                                              {"[!a-c]x", "bx", false},
                                                              {"[!a-c]x", "dx", true},
                                                              {"[[:digit:]]", "5", true},
                                                              {"[]]", "]", true},
                                                              {"[a", "[a", false},
                                                              {"\\*", "*", true},
                                                              {"\\*", "a", false},
                                                              {"**/x", "x", true},
                                                              {"**/x", "a/b/x", true},
                                                              {"a/**", "a/b/c", true},
                                                              {"a/**", "a", false},
                                                              {"a/**/b", "a/b", true},
                                                              {"a/**/b", "a/x/y/b", true},
                                                              {"a/**/b", "ab", false},
                                                              {"a**b", "axb", true},
                                                              {"a**b", "a/b", false},
                                                              {"**", "a/b", true},
                                                              {"*", "", true},
                                                              {"", "", true},
                                                              {"a*b*c", "aXbYc", true},
                                                              {"a*b*c", "aXbY", false}};
  for (const auto& [pattern, text, matches] : cases) {
    CAPTURE(pattern);
    CAPTURE(text);
    CHECK(glob_match(pattern, text) == matches);
  }
  const std::string many(2000, 'a');
  CHECK_FALSE(glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", many));
}
