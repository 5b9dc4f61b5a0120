#include "providers/catalog/catalog.h"

#include <doctest/doctest.h>

#include <set>

#include "providers/detect.h"
#include "tests/support/environment.h"
#include "tests/support/loopback_server.h"

using namespace skein;
using namespace skein::catalog;
using namespace skein::test;

TEST_CASE("a model is named by provider and model, by alias, or by a name the table knows") {
  Catalog catalog;
  catalog.add_alias("fast", "groq/llama-3.3-70b-versatile");
  CHECK(catalog.parse("anthropic/claude-x") == model::ModelRef{"anthropic", "claude-x"});
  CHECK(catalog.parse("openrouter/qwen/qwen3") == model::ModelRef{"openrouter", "qwen/qwen3"});
  CHECK(catalog.parse("fast") == model::ModelRef{"groq", "llama-3.3-70b-versatile"});
  CHECK(catalog.parse("gpt-4o") == model::ModelRef{"openai", "gpt-4o"});
  CHECK(catalog.parse("offline/demo") == model::ModelRef{"offline", "demo"});
  CHECK(catalog.parse("scripted//tmp/x.json") == model::ModelRef{"scripted", "/tmp/x.json"});
}

TEST_CASE("a name that means nothing is an error of usage that says what to do") {
  const Catalog catalog;
  const auto trouble = [&](std::string_view text) {
    try {
      catalog.parse(text);
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(trouble("nonsense") == "no model is called nonsense; write it as provider/model");
  CHECK(trouble("antropic/x").starts_with("unknown provider antropic; there are anthropic, "));
  CHECK(trouble("openai/") == "no model named after openai/");
  CHECK(trouble("") == "no model is called ; write it as provider/model");
}

TEST_CASE("a model's row also stands for its dated versions, and the longest name wins") {
  const Catalog catalog;
  CHECK(catalog.find_model({"anthropic", "claude-sonnet-4-5-20250929"}).name ==
        "claude-sonnet-4-5");
  CHECK(catalog.find_model({"anthropic", "claude-sonnet-4-20250514"}).name == "claude-sonnet-4");
  CHECK(catalog.find_model({"openai", "o3-2025-04-16"}).name == "o3");
  CHECK(catalog.find_model({"openai-responses", "gpt-5"}).window == 400'000);
  CHECK_FALSE(catalog.find_model({"anthropic", "claude-sonnet-4-9"}).known);
  CHECK_FALSE(catalog.find_model({"openai", "o3-pro"}).known);
}

TEST_CASE("an unknown model passes through with cautious values and no price") {
  const Catalog catalog;
  const ModelRow remote = catalog.find_model({"openrouter", "new/model"});
  CHECK(remote.window == 128'000);
  CHECK(remote.max_output == 8'192);
  CHECK(cost_usd({.input = 1}, remote.prices) == std::nullopt);
  CHECK(catalog.find_model({"ollama", "x"}).window == 32'768);
}

TEST_CASE("what a session cost is the sum over its models, with the prices of the configuration") {
  Catalog catalog;
  const model::Usage million{.input = 1'000'000};
  CHECK(catalog.cost("anthropic/claude-sonnet-4-5", million) == doctest::Approx(3));
  CHECK(catalog.cost("openrouter/new/model", million) == std::nullopt);
  CHECK(catalog.cost("nonsense", million) == std::nullopt);
  CHECK(catalog.cost({}) == std::nullopt);

  const std::map<std::string, model::Usage> both{{"anthropic/claude-sonnet-4-5", million},
                                                 {"openrouter/new/model", million}};
  CHECK(catalog.cost(both) == std::nullopt);
  catalog.add({.provider = "openrouter", .name = "new/model", .prices = {.input = 0.5}});
  CHECK(*catalog.cost(both) == doctest::Approx(3.5));
}

TEST_CASE("what is built in needs no server, and the first of it is offered and free") {
  Catalog catalog;
  const BuiltInRow& fallback = catalog.fallback();
  CHECK(catalog.find_built_in(fallback.name) == &fallback);
  CHECK_FALSE(fallback.model.empty());
  CHECK(fallback.make("") != nullptr);
  const std::string model = std::string(fallback.name) + "/" + std::string(fallback.model);
  CHECK(catalog.parse(model).model == fallback.model);
  CHECK(*catalog.cost(model, {.input = 10, .output = 10, .cache_read = 10}) == 0);
  CHECK(catalog.cost("scripted/x", {.input = 1}) == std::nullopt);
  CHECK(catalog.find_built_in("openai") == nullptr);
  // Unless the user has set a price.
  catalog.add({.provider = fallback.name, .name = fallback.model, .prices = {.input = 1e6}});
  CHECK(*catalog.cost(model, {.input = 2}) == doctest::Approx(2));
}

TEST_CASE("cost counts every kind of token once, and is unknown rather than wrong") {
  const Prices prices{3, 15, 0.3, 3.75};
  CHECK(*cost_usd({1'000'000, 100'000, 2'000'000, 400'000, 50'000}, prices) ==
        doctest::Approx(6.6));
  CHECK(*cost_usd({}, {}) == 0);
  CHECK(*cost_usd({.input = 10, .cache_read = 5}, {.input = 2, .output = 1}) ==
        doctest::Approx(3e-5));  // no price for what is cached: that of input
  CHECK(cost_usd({.input = 10}, {.input = 1}) == doctest::Approx(1e-5));
}

TEST_CASE("a configuration adds rows and replaces them, and keeps no pointer into itself") {
  Catalog catalog;
  const std::size_t before = catalog.providers().size();
  {
    const std::string name = "corporate-gateway-with-a-long-name",
                      url = "https://llm.example.com/x";
    catalog.add(ProviderRow{.name = name, .base_url = url, .key_variables = {"CORP_KEY"}});
    catalog.add(ProviderRow{.name = name, .base_url = url, .key_variables = {"CORP_KEY"}});
    catalog.add(ModelRow{.provider = name, .name = "m", .window = 5});
  }
  CHECK(catalog.providers().size() == before + 1);
  const model::ModelRef ref = catalog.parse("corporate-gateway-with-a-long-name/m");
  CHECK(catalog.find_model(ref).window == 5);
  CHECK(catalog.find_provider(ref.provider)->base_url == "https://llm.example.com/x");
  CHECK(catalog.key_variables().back() == "CORP_KEY");
}

TEST_CASE("requests go to the flag's address, else the variable's, else the row's") {
  Catalog catalog;
  const Environment none("OPENAI_BASE_URL", nullptr);
  CHECK(base_url(*catalog.find_provider("openai")) == "https://api.openai.com");
  const Environment openai("OPENAI_BASE_URL", "https://proxy.example.com/v1/");
  CHECK(base_url(*catalog.find_provider("openai")) == "https://proxy.example.com");
  catalog.move_provider("openai", "localhost:9/v1");
  CHECK(base_url(*catalog.find_provider("openai")) == "http://localhost:9");
  CHECK_FALSE(catalog.find_provider("openai")->key_needed);
  CHECK(catalog.find_provider("openai-responses")->key_needed);
}

TEST_CASE("a model is asked to think in the way it understands") {
  const Catalog catalog;
  const auto facts = [&](const model::ModelRef& ref) {
    return facts_of(*catalog.find_provider(ref.provider), catalog.find_model(ref), ref);
  };
  CHECK(facts({"anthropic", "claude-sonnet-4-5"}).thinking == wire::ThinkingStyle::budget);
  CHECK(facts({"anthropic", "claude-from-tomorrow"}).thinking == wire::ThinkingStyle::effort);
  CHECK(facts({"anthropic", "claude-3-5-haiku"}).thinking == wire::ThinkingStyle::none);
  CHECK(facts({"google", "gemini-2.5-flash"}).thinking_off == "0");
  CHECK(facts({"google", "gemini-3-pro-preview"}).thinking == wire::ThinkingStyle::effort);
  CHECK(facts({"openai", "gpt-5.1"}).thinking_off == "none");
  CHECK(facts({"openai", "gpt-5"}).max_tokens_field == "max_completion_tokens");
  CHECK(facts({"ollama", "x"}).max_tokens_field == "max_tokens");
  CHECK_FALSE(facts({"mistral", "x"}).stream_usage);
}

TEST_CASE("OLLAMA_HOST is understood as Ollama's own tools write it") {
  const Catalog catalog;
  const ProviderRow& row = *catalog.find_provider("ollama");
  const std::pair<const char*, const char*> spellings[] = {
      {"", "http://127.0.0.1:11434"},
      {"box", "http://box:11434"},
      {"box:99", "http://box:99"},
      {":99", "http://127.0.0.1:99"},
      {"0.0.0.0:11434", "http://127.0.0.1:11434"},
      {"0.0.0.0", "http://127.0.0.1:11434"},
      {"https://box/", "https://box"}};
  for (const auto& [written, meant] : spellings) {
    const Environment host("OLLAMA_HOST", written);
    CHECK(base_url(row) == meant);
  }
}

TEST_CASE("the tables are sound: names are unique, addresses lack /v1, prices make sense") {
  const Catalog catalog;
  std::set<std::string_view> names;
  for (const ProviderRow& row : catalog.providers()) {
    CHECK(names.insert(row.name).second);
    CHECK_FALSE(row.base_url.ends_with("/v1"));
    CHECK(row.version.starts_with("/v1"));
    CHECK((row.auth == Auth::none) == row.key_variables[0].empty());
  }
  std::set<std::pair<std::string_view, std::string_view>> models;
  for (const ModelRow& row : catalog.models()) {
    CHECK(models.emplace(row.provider, row.name).second);
    CHECK(catalog.find_provider(row.provider) != nullptr);
    CHECK(row.max_output < row.window);
    if (row.prices.input) CHECK(*row.prices.input < *row.prices.output);
    if (row.prices.cache_read) CHECK(*row.prices.cache_read < *row.prices.input);
  }
}

TEST_CASE("local servers are found where they answer like one") {
  LoopbackServer models([](Connection& peer) {
    peer.request();
    peer.answer(
        200,
        R"({"object":"list","data":[{"id":"llama"},{"id":"qwen"},{"id":"nomic-embed"},{"x":1}]})");
  });
  LoopbackServer website([](Connection& peer) {
    peer.request();
    peer.answer(200, "<html>hello</html>");
  });
  LoopbackServer silent([](Connection& peer) { peer.wait_until_closed(); });
  Catalog catalog;
  const std::string closed = "http://127.0.0.1:" + std::to_string(closed_port());
  const std::string open = models.url(), site = website.url(), mute = silent.url();
  catalog.add(ProviderRow{.name = "ollama", .base_url = open, .local = true});
  catalog.add(ProviderRow{.name = "mine", .base_url = open});  // a user's own
  catalog.add(ProviderRow{.name = "llamacpp", .base_url = site, .local = true});
  catalog.add(ProviderRow{.name = "lmstudio", .base_url = mute, .local = true});
  catalog.add(ProviderRow{.name = "vllm", .base_url = closed, .local = true});
  catalog.add(ProviderRow{.name = "far", .base_url = "http://192.0.2.1:80", .local = true});

  const auto start = std::chrono::steady_clock::now();
  CHECK(providers::find_local_servers(catalog, {}) ==
        std::vector<providers::LocalServer>{{"ollama", open, {"llama", "qwen"}},
                                            {"mine", open, {"llama", "qwen"}}});
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}
