#include "core/handover/target.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::handover;

TEST_CASE("an id fits by its characters and its length") {
  const IdRule plain{.max = 12};
  CHECK(fits("a", plain));
  CHECK(fits("Az09_-Az09_-", plain));
  CHECK_FALSE(fits("", plain));
  CHECK_FALSE(fits("Az09_-Az09_-x", plain));
  for (const char* refused : {"a b", "a.b", "a|b", "\u00e9"}) CHECK_FALSE(fits(refused, plain));

  const IdRule nine{.max = 9, .exact = true, .alphanumeric = true};
  CHECK(fits("abcDEF012", nine));
  for (const char* refused : {"abcDEF01", "abcDEF0123", "abc_EF012"})
    CHECK_FALSE(fits(refused, nine));
}

TEST_CASE("the quirks of a provider are in its target") {
  CHECK(target_for(WireFormat::openai_chat, "openai", "m").ids == IdRule{.max = 40});
  CHECK(target_for(WireFormat::openai_chat, "mistral", "m").ids ==
        IdRule{.max = 9, .exact = true, .alphanumeric = true});
  CHECK(target_for(WireFormat::google, "google", "gemini-3-pro").images_in_results);
  CHECK_FALSE(target_for(WireFormat::google, "google", "gemini-2.5-pro").images_in_results);
}

TEST_CASE("newer models have their rules by number, also those nobody has heard of") {
  const auto claude = [](const char* name) {
    return target_for(WireFormat::anthropic, "anthropic", name).prefix_bound;
  };
  for (const char* bound : {"claude-fable-5-1", "claude-opus-5-5", "claude-haiku-5-5-20261001",
                            "claude-saga-6", "claude-opus-12-1", "claude-latest"})
    CHECK_MESSAGE(claude(bound), bound);
  for (const char* free : {"claude-opus-5", "claude-fable-5", "claude-opus-4-8",
                           "claude-opus-4-20250514", "claude-3-7-sonnet", "kimi-k3"})
    CHECK_FALSE_MESSAGE(claude(free), free);

  const auto gemini = [](const char* name) {
    const Target target = target_for(WireFormat::google, "google", name);
    CHECK(target.call_ids == target.signed_calls);
    return target.signed_calls;
  };
  for (const char* strict : {"gemini-3-pro", "gemini-3.8-flash", "gemini-4-pro", "gemini-10",
                             "gemini-live-4-flash", "gemini-pro-latest"})
    CHECK_MESSAGE(gemini(strict), strict);
  for (const char* lenient : {"gemini-2.5-pro", "gemini-2.0-flash", "gemma-3-27b"})
    CHECK_FALSE_MESSAGE(gemini(lenient), lenient);

  const auto reasons = [](const char* provider, const char* name) {
    return target_for(WireFormat::openai_chat, provider, name).reasoning_always;
  };
  CHECK(reasons("deepseek", "deepseek-v4-pro"));
  CHECK(reasons("openrouter", "moonshotai/kimi-k2.5"));
  CHECK(reasons("somewhere", "glm-5.1"));
  CHECK_FALSE(reasons("openai", "gpt-5.1"));
}

TEST_CASE("a name that is none becomes the nearest one") {
  CHECK(tool_name("mcp__a-b") == "mcp__a-b");
  CHECK(tool_name("a.b/c d") == "a_b_c_d");
  CHECK(tool_name("9lives") == "_9lives");
  CHECK(tool_name("") == "unknown_tool");
  CHECK(tool_name(std::string(100, 'n')) == std::string(64, 'n'));
  CHECK(tool_name("9" + std::string(100, 'n')) == "_9" + std::string(62, 'n'));
}

TEST_CASE("an image is taken by its type, its size and whether there is one") {
  Target target = target_for(WireFormat::anthropic, "anthropic", "m");
  target.max_image_bytes = 4;
  CHECK(takes({"image/png", "blob"}, target));
  CHECK(takes({"image/png", "", "1234"}, target));
  CHECK_FALSE(takes({"image/png", "", "12345"}, target));
  CHECK_FALSE(takes({"image/png"}, target));
  CHECK_FALSE(takes({"image/tiff", "blob"}, target));
  CHECK_FALSE(takes({"image/gif", "blob"}, target_for(WireFormat::google, "google", "m")));
  target.takes_images = false;
  CHECK_FALSE(takes({"image/png", "blob"}, target));
}
