// Which address and format a model's name leads to, and what is said when that is refused.
#include <doctest/doctest.h>

#include "providers/stream.h"
#include "tests/support/loopback_server.h"

using namespace skein;
using namespace skein::providers;
using namespace skein::test;

namespace {

// A service that refuses everything, and what it was asked.
struct Refusing {
  explicit Refusing(int status = 404, std::string text = "no such model")
      : server([this, status, text](Connection& peer) {
          const std::string request = peer.request();
          path = request.substr(0, request.find(" HTTP/"));
          body = request.substr(request.find("\r\n\r\n") + 4);
          headers = request.substr(0, request.find("\r\n\r\n"));
          peer.answer(status, R"({"error":{"message":")" + text + "\"}}");
        }) {}

  std::string error_of(const model::ModelRef& model) {
    catalog::Catalog catalog;
    if (catalog.find_provider(model.provider) == nullptr) {
      catalog::ProviderRow row = *catalog.find_provider("openai");
      row.name = model.provider;
      row.responses = {};
      catalog.add(row);
    }
    catalog.move_provider(model.provider, server.url());
    Keyring keys;
    return HttpProvider(catalog, keys)
        .stream({.messages = {model::user_message("hi")}}, model, {})
        .error;
  }

  std::string path{}, body{}, headers{};
  LoopbackServer server;
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a name leads to the API that its model wants") {
  Refusing service;
  service.error_of({"openai", "gpt-6-sol", model::ThinkingLevel::max});
  CHECK(service.path == "POST /v1/responses");
  CHECK(contains(service.body, R"("effort":"max")"));
  CHECK(contains(service.body, R"("max_output_tokens":128000)"));
  service.error_of({"openai", "gpt-4o"});
  CHECK(service.path == "POST /v1/chat/completions");
  service.error_of({"openai-chat", "gpt-6-sol"});
  CHECK(service.path == "POST /v1/chat/completions");
  service.error_of({"xai", "grok-4.7", model::ThinkingLevel::max});
  CHECK(service.path == "POST /v1/responses");
  CHECK(contains(service.body, R"("effort":"xhigh")"));  // the most it takes
  CHECK_FALSE(contains(service.body, "max_output_tokens"));
}

TEST_CASE("a model nobody knows gets room for a long answer, or no limit at all") {
  Refusing service;
  service.error_of({"anthropic", "claude-opus-7", model::ThinkingLevel::high});
  CHECK(contains(service.body, R"("max_tokens":128000)"));
  service.error_of({"anthropic", "someone-elses"});
  CHECK(contains(service.body, R"("max_tokens":32000)"));
  for (const model::ModelRef& model : std::initializer_list<model::ModelRef>{
           {"openrouter", "x/y"}, {"ollama", "x"}, {"openai", "unheard-of"}}) {
    service.error_of(model);
    CHECK_FALSE(contains(service.body, "\"max_"));
  }
}

TEST_CASE("a model that was shut down is named with its successor where its service refuses it") {
  Refusing service;
  CHECK(service.error_of({"anthropic", "claude-opus-4-1"})
            .ends_with("no such model; claude-opus-4-1 ended 2026-08-05; use claude-opus-5-5"));
  CHECK(service.error_of({"anthropic", "claude-opus-5-5"}).ends_with("no such model"));
}

TEST_CASE("a service that wants the newer API is met with how to say so") {
  Refusing service(400, "This model is only supported in v1/responses");
  CHECK(contains(service.error_of({"work", "big"}),
                 R"(; set wire = "responses" in [providers.work])"));
  CHECK(contains(service.error_of({"openai-chat", "gpt-6-sol"}), "; use openai-responses/ for it"));
  CHECK_FALSE(contains(service.error_of({"openai", "gpt-6-sol"}), "wire ="));
}

TEST_CASE("--base-url alone brings no beta header") {
  Refusing service;
  service.error_of({"anthropic", "claude-opus-5-5", model::ThinkingLevel::high});
  CHECK(service.path == "POST /v1/messages");
  CHECK_FALSE(contains(service.headers, "anthropic-beta"));
}
