// Going on after part of an answer, as every service takes it: the request ends with the user.
#include <doctest/doctest.h>

#include "providers/catalog/catalog.h"
#include "providers/request.h"

using namespace skein;
using namespace skein::providers;

namespace {

model::Message cut_answer(const model::ModelRef& model, std::string text, model::Stop stop) {
  return {.role = model::Role::assistant,
          .content = {model::Text{std::move(text)}},
          .provider = model.provider,
          .model = model.model,
          .stop = stop};
}

model::Message request_to_go_on() {
  model::Message message = model::user_message("Go on.");
  message.continuation = true;
  return message;
}

const model::ModelRef models[] = {{"anthropic", "claude-opus-5-5"},
                                  {"anthropic", "claude-sonnet-4-5"},
                                  {"openai", "gpt-5.1"},
                                  {"openai-responses", "gpt-5.1"},
                                  {"google", "gemini-2.5-pro"},
                                  {"mistral", "mistral-large"},
                                  {"llamacpp", "any"}};

CheckedRequest request_for(const model::ModelRef& model, std::vector<model::Message> messages) {
  const catalog::Catalog catalog;
  const catalog::ProviderRow* row = catalog.find_provider(model.provider);
  if (row == nullptr) return {};
  return make_request({.system = "be brief", .messages = std::move(messages)}, model, *row,
                      catalog.find_model(model));
}

}  // namespace

TEST_CASE("a request to go on is taken by every service, thinking or not") {
  for (model::ModelRef model : models)
    for (const model::ThinkingLevel thinking :
         {model::ThinkingLevel::off, model::ThinkingLevel::high})
      for (const model::Stop stop : {model::Stop::aborted, model::Stop::interrupted,
                                     model::Stop::length, model::Stop::error})
        for (const char* text : {"half of", "half of ", "half of\n\n", " "}) {
          model.thinking = thinking;
          CAPTURE(model::to_string(model));
          CAPTURE(text);
          const model::Message half = cut_answer(model, text, stop);
          CHECK(request_for(model, {model::user_message("hi"), half, request_to_go_on()}).faults ==
                std::vector<std::string>{});
          CHECK(request_for(model, {model::user_message("hi"), half, request_to_go_on(),
                                    cut_answer(model, "the rest", model::Stop::stop),
                                    model::user_message("and?")})
                    .faults == std::vector<std::string>{});
        }
}

TEST_CASE("no request that ends in an answer is sent to anyone") {
  for (const model::ModelRef& model : models) {
    CAPTURE(model::to_string(model));
    if (catalog::Catalog().find_provider(model.provider) == nullptr) continue;
    const CheckedRequest request = request_for(
        model, {model::user_message("hi"), cut_answer(model, "half of", model::Stop::aborted)});
    REQUIRE(request.faults.size() == 1);
    CHECK(request.faults[0].ends_with("the last is the assistant's"));
  }
}
