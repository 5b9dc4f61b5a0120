// Services as they answer on the wire when they are asked for their models.
#include "providers/ask_models.h"

#include <doctest/doctest.h>

#include <atomic>
#include <map>

#include "tests/support/environment.h"
#include "tests/support/loopback_server.h"

using namespace skein;
using namespace skein::providers;
using namespace skein::test;
using catalog::ModelListing;
using catalog::ServiceModel;
using Models = std::vector<ServiceModel>;

namespace {

// Answers by the first line of the request, "GET /v1/models", with 404 for anything else.
LoopbackServer::Script answers(std::map<std::string, std::string> bodies) {
  return [bodies = std::move(bodies)](Connection& peer) {
    for (std::string request; !(request = peer.request()).empty();) {
      const std::string line = request.substr(0, request.find(" HTTP/"));
      const auto body = bodies.find(line);
      if (body == bodies.end())
        peer.answer(404, "{}");
      else
        peer.answer(200, body->second);
    }
  };
}

// A server of this machine has half a second to answer. A busy one may need longer: then it is
// asked again.
std::optional<Models> asked(const LoopbackServer& server, ModelListing listing) {
  const std::string url = server.url();
  std::optional<Models> told;
  for (int tries = 0; tries < 3 && !told; ++tries) {
    Keyring keys;
    told = ask_models({.name = "s",
                       .base_url = url,
                       .version = listing == ModelListing::google ? "/v1beta" : "/v1",
                       .auth = catalog::Auth::none,
                       .listing = listing},
                      keys, {});
  }
  return told;
}

}  // namespace

TEST_CASE("each kind of server is asked in its own way for its models and their real windows") {
  const LoopbackServer vllm(
      answers({{"GET /v1/models", R"({"data":[{"id":"q","max_model_len":4096}]})"}}));
  CHECK(asked(vllm, ModelListing::openai) == Models{{.name = "q", .window = 4'096}});

  const LoopbackServer llamacpp(
      answers({{"GET /v1/models", R"({"data":[{"id":"t","meta":{"n_ctx":131072}}]})"},
               {"GET /props", R"({"default_generation_settings":{"n_ctx":3072}})"}}));
  CHECK(asked(llamacpp, ModelListing::llamacpp) == Models{{.name = "t", .window = 3'072}});

  const LoopbackServer lmstudio(
      answers({{"GET /api/v0/models", R"({"data":[{"id":"l","loaded_context_length":8192}]})"}}));
  CHECK(asked(lmstudio, ModelListing::lmstudio) == Models{{.name = "l", .window = 8'192}});
  // An older one has the usual list.
  CHECK(asked(vllm, ModelListing::lmstudio) == Models{{.name = "q", .window = 4'096}});

  const LoopbackServer ollama(
      answers({{"GET /api/tags", R"({"models":[{"name":"a:1"},{"name":"b:1"}]})"},
               {"POST /api/show", R"({"capabilities":["vision"],"parameters":"num_ctx 8192"})"},
               {"GET /api/ps", R"({"models":[{"name":"b:1","context_length":2048}]})"}}));
  CHECK(asked(ollama, ModelListing::ollama) ==
        Models{{.name = "a:1", .window = 8'192, .images = true},
               {.name = "b:1", .window = 2'048, .images = true}});

  const LoopbackServer anthropic(answers(
      {{"GET /v1/models?limit=1000",
        R"({"data":[{"id":"claude-a"}],"has_more":true,"last_id":"claude-a"})"},
       {"GET /v1/models?limit=1000&after_id=claude-a", R"({"data":[{"id":"claude-b"}]})"}}));
  CHECK(asked(anthropic, ModelListing::anthropic) ==
        Models{{.name = "claude-a"}, {.name = "claude-b"}});

  const LoopbackServer google(answers({{"GET /v1beta/models?pageSize=1000",
                                        R"({"models":[{"name":"models/gemini-5","inputTokenLimit":7,
                    "supportedGenerationMethods":["generateContent"]}]})"}}));
  CHECK(asked(google, ModelListing::google) == Models{{.name = "gemini-5", .window = 7}});
}

TEST_CASE("who answers with something else, with too much or not at all has told nothing") {
  const LoopbackServer page(answers({{"GET /v1/models", "<html>hello</html>"}}));
  CHECK(asked(page, ModelListing::openai) == std::nullopt);
  const LoopbackServer refusing(answers({}));
  for (const ModelListing listing :
       {ModelListing::openai, ModelListing::anthropic, ModelListing::google, ModelListing::ollama,
        ModelListing::llamacpp, ModelListing::lmstudio})
    CHECK(asked(refusing, listing) == std::nullopt);
  const LoopbackServer endless([](Connection& peer) {
    peer.request();
    peer.begin_stream();
    while (peer.chunk(std::string(1 << 16, ' '))) {
    }
  });
  CHECK(asked(endless, ModelListing::openai) == std::nullopt);
  const LoopbackServer silent([](Connection& peer) { peer.wait_until_closed(); });
  CHECK(asked(silent, ModelListing::openai) == std::nullopt);
}

TEST_CASE("the key is shown to the service that has one, and not asked for where there is none") {
  std::string seen;
  const LoopbackServer server([&](Connection& peer) {
    seen = peer.request();
    peer.answer(200, R"({"data":[]})");
  });
  const std::string url = server.url();
  const Environment variable("SKEIN_TEST_KEY", "secret-key-1");
  Keyring keys;
  keys.take_environment({"SKEIN_TEST_KEY"});
  catalog::ProviderRow row{.name = "s",
                           .wire = handover::WireFormat::anthropic,
                           .base_url = url,
                           .key_variables = {"SKEIN_TEST_KEY"},
                           .auth = catalog::Auth::x_api_key};
  CHECK(ask_models(row, keys, {}) == Models{});
  CHECK(seen.find("x-api-key: secret-key-1") != std::string::npos);
  CHECK(seen.find("anthropic-version: ") != std::string::npos);
  row.key_variables = {"SKEIN_NO_SUCH_KEY"};
  CHECK(ask_models(row, keys, {}) == std::nullopt);
  CHECK(server.connections() == 1);
}

TEST_CASE("asking ends when it is stopped") {
  const LoopbackServer silent([](Connection& peer) { peer.wait_until_closed(); });
  const std::atomic<bool> stop{true};
  const std::string url = silent.url();
  Keyring keys;
  CHECK(ask_models({.name = "s", .base_url = url, .auth = catalog::Auth::none}, keys,
                   {.stop = &stop}) == std::nullopt);
}
