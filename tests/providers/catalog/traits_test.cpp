// Rules by family and version: what a model insists on, and by which API it is spoken to.

#include <doctest/doctest.h>

#include <initializer_list>

#include "providers/catalog/catalog.h"
#include "tests/support/environment.h"

using namespace skein;
using namespace skein::catalog;
using namespace skein::test;

TEST_CASE("what a model insists on follows its version, not a list of names") {
  const Catalog catalog;
  const auto facts = [&](const model::ModelRef& ref) {
    return facts_of(routed(*catalog.find_provider(ref.provider), ref.model),
                    catalog.find_model(ref), ref);
  };
  for (const char* name : {"claude-fable-5-1", "claude-mythos-5-2", "claude-opus-5-5",
                           "claude-haiku-5-5-20260901", "claude-zeta-6", "claude-next"}) {
    CAPTURE(name);
    CHECK(facts({"anthropic", name}).prefix_bound);
    CHECK(catalog.target({"anthropic", name}).prefix_bound);
  }
  for (const char* name : {"claude-fable-5", "claude-opus-5", "claude-opus-4-8",
                           "claude-opus-4-20250514", "claude-3-7-sonnet", "unheard-of"}) {
    CAPTURE(name);
    CHECK_FALSE(catalog.target({"anthropic", name}).prefix_bound);
  }
  CHECK(facts({"anthropic", "claude-opus-4-7"}).thinking_display);
  CHECK_FALSE(facts({"anthropic", "claude-opus-4-6"}).thinking_display);

  for (const char* name : {"gemini-3-flash-preview", "gemini-4-argon", "gemini-live-3",
                           "gemini-pro-latest", "gemini-12-pro"}) {
    CAPTURE(name);
    const handover::Target target = catalog.target({"google", name});
    CHECK(target.signed_calls);
    CHECK(target.images_in_results);
    CHECK(target.call_ids);
    CHECK(facts({"google", name}).signed_calls);
  }
  for (const char* name : {"gemini-2.5-pro", "gemini-1.5-flash", "gemma-4-31b-it"})
    CHECK_FALSE(catalog.target({"google", name}).signed_calls);

  for (const model::ModelRef& ref :
       std::initializer_list<model::ModelRef>{{"deepseek", "deepseek-flash"},
                                              {"deepseek", "deepseek-v4-pro"},
                                              {"openrouter", "deepseek/deepseek-v5"},
                                              {"openrouter", "moonshotai/kimi-k2.5"},
                                              {"mistral", "zai-glm-5-3-flash"},
                                              {"vllm", "zai-org/glm-6"}}) {
    CAPTURE(ref.model);
    CHECK(catalog.target(ref).reasoning_always);
    CHECK(facts(ref).reasoning_always);
  }
  for (const char* name : {"deepseek-v3", "glm-4.6", "llama-4", "my-kimi"})
    CHECK_FALSE(catalog.target({"openrouter", name}).reasoning_always);
  CHECK(catalog.target({"mistral", "any"}).ids ==
        handover::IdRule{.max = 9, .exact = true, .alphanumeric = true});
  CHECK(catalog.target({"openai", "gpt-4o"}).ids == handover::IdRule{.max = 40});
}

TEST_CASE("OpenAI's newer models are spoken to by Responses, and others by what they know") {
  Catalog catalog;
  const auto wire = [&](const model::ModelRef& ref) {
    return routed(*catalog.find_provider(ref.provider), ref.model).wire;
  };
  using enum handover::WireFormat;
  for (const char* name :
       {"gpt-5.4", "gpt-5.4-mini", "gpt-5.10", "gpt-6-sol", "gpt-6.1-terra", "gpt-11",
        "gpt-daybreak-blue-latest", "chat-latest", "gpt-5.3-codex", "gpt-5-pro"}) {
    CAPTURE(name);
    CHECK(wire({"openai", name}) == openai_responses);
    CHECK(wire({"openai-chat", name}) == openai_chat);
    CHECK(wire({"openai-responses", name}) == openai_responses);
  }
  for (const char* name : {"gpt-5", "gpt-5-2025-08-07", "gpt-5.1", "gpt-5.2", "gpt-4o",
                           "gpt-4.1-mini", "o3", "gpt-oss-20b", "mine"}) {
    CAPTURE(name);
    CHECK(wire({"openai", name}) == openai_chat);
  }
  CHECK(wire({"openai-responses", "gpt-4o"}) == openai_responses);
  CHECK(wire({"xai", "grok-4.3"}) == openai_responses);
  CHECK(wire({"xai", "grok-5"}) == openai_responses);
  CHECK(wire({"xai", "grok-4"}) == openai_chat);
  CHECK(wire({"xai", "grok-code-fast-1"}) == openai_chat);
  CHECK(catalog.target({"openai", "gpt-6-sol"}).wire == openai_responses);
}

TEST_CASE("beta headers are for Anthropic itself, or for a service said to take them") {
  Catalog catalog;
  const Environment none("ANTHROPIC_BASE_URL", nullptr);
  const model::ModelRef ref{"anthropic", "claude-opus-5-5"};
  const auto betas = [&] {
    return facts_of(*catalog.find_provider("anthropic"), catalog.find_model(ref), ref).betas;
  };
  CHECK(betas());
  {
    const Environment relay("ANTHROPIC_BASE_URL", "https://relay.example.com");
    CHECK_FALSE(betas());
  }
  catalog.move_provider("anthropic", "https://relay.example.com");
  CHECK_FALSE(betas());
  ProviderRow row = *catalog.find_provider("anthropic");
  row.betas = true;
  catalog.add(row);
  CHECK(betas());
  CHECK_FALSE(facts_of(*catalog.find_provider("openai"), {}, {"openai", "x"}).betas);
}
