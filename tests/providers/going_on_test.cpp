// Going on after part of an answer, as every service takes it: the request ends with the user.
#include <doctest/doctest.h>

#include "providers/catalog.h"
#include "providers/request.h"

using namespace skein;

namespace {

Message cut_answer(const ModelRef& model, std::string text, Stop stop) {
  return {.role = Role::assistant,
          .content = {Text{std::move(text)}},
          .provider = model.provider,
          .model = model.model,
          .stop = stop};
}

Message request_to_go_on() {
  Message message = user_message("Go on.");
  message.continuation = true;
  return message;
}

const ModelRef models[] = {{"anthropic", "claude-opus-5-5"},
                           {"anthropic", "claude-sonnet-4-5"},
                           {"openai", "gpt-5.1"},
                           {"openai-responses", "gpt-5.1"},
                           {"google", "gemini-2.5-pro"},
                           {"mistral", "mistral-large"},
                           {"llamacpp", "any"}};

CheckedRequest request_for(const ModelRef& model, std::vector<Message> messages) {
  const Catalog catalog;
  const ProviderRow* row = catalog.find_provider(model.provider);
  if (row == nullptr) return {};
  return make_request({.system = "be brief", .messages = std::move(messages)}, model, *row,
                      catalog.find_model(model));
}

}  // namespace

TEST_CASE("a request to go on is taken by every service, thinking or not") {
  for (ModelRef model : models)
    for (const ThinkingLevel thinking : {ThinkingLevel::off, ThinkingLevel::high})
      for (const Stop stop : {Stop::aborted, Stop::interrupted, Stop::length, Stop::error})
        for (const char* text : {"half of", "half of ", "half of\n\n", " "}) {
          model.thinking = thinking;
          CAPTURE(to_string(model));
          CAPTURE(text);
          const Message half = cut_answer(model, text, stop);
          CHECK(request_for(model, {user_message("hi"), half, request_to_go_on()}).faults ==
                std::vector<std::string>{});
          CHECK(
              request_for(model, {user_message("hi"), half, request_to_go_on(),
                                  cut_answer(model, "the rest", Stop::stop), user_message("and?")})
                  .faults == std::vector<std::string>{});
        }
}

TEST_CASE("no request that ends in an answer is sent to anyone") {
  for (const ModelRef& model : models) {
    CAPTURE(to_string(model));
    if (Catalog().find_provider(model.provider) == nullptr) continue;
    const CheckedRequest request =
        request_for(model, {user_message("hi"), cut_answer(model, "half of", Stop::aborted)});
    REQUIRE(request.faults.size() == 1);
    CHECK(request.faults[0].ends_with("the last is the assistant's"));
  }
}
