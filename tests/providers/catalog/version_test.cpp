#include "providers/catalog/version.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein::catalog;

namespace {

struct Case {
  const char* name;
  const char* family;
  int major, minor;
  const char* rest;
};

}  // namespace

TEST_CASE("a name is its family, a version and what follows") {
  const Case cases[] = {{"claude-opus-5-5", "claude-opus", 5, 5, ""},
                        {"claude-opus-4-20250514", "claude-opus", 4, 0, "-20250514"},
                        {"claude-3-5-haiku-20241022", "claude", 3, 5, "-haiku-20241022"},
                        {"gpt-5.6-sol", "gpt", 5, 6, "-sol"},
                        {"gpt-5-2025-08-07", "gpt", 5, 0, "-2025-08-07"},
                        {"gpt-4o-mini", "gpt", 4, 0, "o-mini"},
                        {"gpt-5.10", "gpt", 5, 10, ""},
                        {"gemini-3.5-flash-lite", "gemini", 3, 5, "-flash-lite"},
                        {"openai/gpt-6-luna", "gpt", 6, 0, "-luna"}};
  for (const Case& each : cases) {
    CAPTURE(each.name);
    const VersionedName split = split_version(each.name);
    CHECK(split.family == each.family);
    CHECK(split.version == Version{each.major, each.minor});
    CHECK(split.rest == each.rest);
  }
  // Dates and sizes are no versions.
  for (const char* name : {"mistral-medium-2604", "gpt-oss-120b", "gpt-oss-20b", "chat-latest", "",
                           "-", "/", "claude"})
    CHECK_FALSE(split_version(name).version);
}

TEST_CASE("a version is found behind a word, and not inside of one") {
  CHECK(version_behind("zai-glm-5-3-flash", "glm-") == Version{5, 3});
  CHECK(version_behind("moonshotai/kimi-k2.5", "kimi-k") == Version{2, 5});
  CHECK_FALSE(version_behind("xglm-5", "glm-"));
  CHECK_FALSE(version_behind("gpt-oss-20b", "gpt-"));
  CHECK(since(std::nullopt, {9, 9}));  // no number: the newest
  CHECK(since(Version{5, 4}, {5, 4}));
  CHECK_FALSE(since(Version{5, 3}, {5, 4}));
}
