#include "providers/request.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/text/checksum.h"
#include "core/text/json.h"
#include "tests/support/environment.h"

using namespace skein;
using namespace skein::providers;
using namespace skein::test;

namespace {

CheckedRequest request_for(const catalog::Catalog& catalog, const model::ModelRef& model,
                           const model::Context& context) {
  const catalog::ProviderRow* row = catalog.find_provider(model.provider);
  REQUIRE(row != nullptr);
  return make_request(context, model, *row, catalog.find_model(model));
}

const model::ModelRef claude{"anthropic", "claude-opus-5-5", model::ThinkingLevel::high};

}  // namespace

TEST_CASE("an address never turns beta headers on: the vendor's own does, or the user") {
  const Environment none("ANTHROPIC_BASE_URL", nullptr);
  const model::Context context{.messages = {model::user_message("hi")}};
  catalog::Catalog catalog;
  const auto has_beta = [&] {
    const CheckedRequest request = request_for(catalog, claude, context);
    CHECK(request.faults.empty());
    const bool header = !http::header_value(request.wire.headers, wire::beta_header).empty();
    CHECK((request.wire.body.find("block_binding") != std::string::npos) == header);
    return header;
  };
  CHECK(has_beta());
  {
    const Environment elsewhere("ANTHROPIC_BASE_URL", "https://relay.example");
    CHECK_FALSE(has_beta());
  }
  catalog.move_provider("anthropic", "http://127.0.0.1:1");
  CHECK_FALSE(has_beta());
  catalog::ProviderRow row = *catalog.find_provider("anthropic");
  row.betas = true;
  catalog.add(row);
  CHECK(has_beta());
}

TEST_CASE("what another model thought is left out") {
  const catalog::Catalog catalog;
  const model::Context context{
      .messages = {model::user_message("hi"),
                   {.role = model::Role::assistant,
                    .content = {model::Thinking{"it is a riddle", "c2ln"}, model::Text{"ok"}},
                    .provider = "google",
                    .model = "gemini-2.5-pro"},
                   model::user_message("and?")}};
  const CheckedRequest request = request_for(catalog, claude, context);
  CHECK(request.faults.empty());
  CHECK(request.wire.body.find("it is a riddle") == std::string::npos);
}

TEST_CASE("a Responses server is told which requests belong together") {
  const catalog::Catalog catalog;
  const model::ModelRef gpt{"openai-responses", "gpt-5.1"};
  model::Context context{.messages = {model::user_message("hi")}, .session = std::string(99, 'k')};
  const CheckedRequest request = request_for(catalog, gpt, context);
  CHECK(request.faults.empty());
  CHECK(string_at(*parse_json(request.wire.body), "prompt_cache_key") == std::string(64, 'k'));
  context.session.clear();
  CHECK_FALSE(
      parse_json(request_for(catalog, gpt, context).wire.body)->contains("prompt_cache_key"));
}

TEST_CASE("a request has the same bytes as before, or another request_version") {
  const model::Context context{
      .system = "Be brief.",
      .messages = {model::user_message("what is here? caf\u00e9 \U0001F600"),
                   {.role = model::Role::assistant,
                    .content = {model::Thinking{"look first", "c2ln"}, model::Text{"I look."},
                                model::ToolUse{"c1", "list", R"({"path":"."})"},
                                model::ToolUse{"c2", "list", R"({"path":"src"})"}},
                    .provider = "anthropic",
                    .model = "m"},
                   {.role = model::Role::tool,
                    .content = {model::ToolResult{"c1", {model::Text{"a.txt"}}},
                                model::ToolResult{"c2", {model::Text{"no folder"}}, true}}},
                   {.role = model::Role::assistant,
                    .content = {model::Text{"One file."}},
                    .provider = "google",
                    .model = "n"},
                   {.role = model::Role::user,
                    .content = {model::Text{"and this?"},
                                model::Image{"image/png", "", "\x89PNG\r\n"}}}},
      .tools = {{"list", "lists a folder",
                 R"({"type":"object","properties":{"path":{"type":"string"}}})"}},
      .session = "s"};
  using handover::WireFormat;
  std::string all;
  for (const WireFormat wire : {WireFormat::anthropic, WireFormat::openai_chat,
                                WireFormat::openai_responses, WireFormat::google}) {
    const CheckedRequest request =
        make_request(context, {"anthropic", "m", model::ThinkingLevel::high},
                     {.name = "anthropic", .wire = wire},
                     {.provider = "anthropic", .name = "m", .max_output = 9'000, .images = true});
    CHECK(request.faults.empty());
    all += request.wire.body + "\n";
  }
  // If they differ on purpose: raise the version, and write down the new hash.
  CHECK(wire::request_version == 1);
  CHECK(sha256_hex(all) == "45f714cc5a02735d4003e6df499db8b46e70e4acab42fc23e1cf405db7a823ef");
}
