// A conversation with the strict services of tests/support/strict_service: each request is made as
// skein makes it, judged by our grammar and by the service, and the answer decoded and kept.
#pragma once

#include <string>
#include <vector>

#include "core/model/provider.h"
#include "providers/catalog/catalog.h"
#include "tests/support/strict_service.h"

namespace skein::test {

// One of every kind there is: what each refuses the others take.
const std::vector<StrictModel>& strict_models();

class HandoverTalk {
 public:
  // `betas`: whether Anthropic's is the host that knows its beta headers.
  explicit HandoverTalk(bool betas = true);

  void user(const std::string& text, bool image = false);
  // Whether the request was taken; the answer is then the last message.
  bool ask(const StrictModel& model, model::ThinkingLevel thinking, const Said& said);
  // A loop of one reply with two calls, one of which fails with an image, and the answer.
  void turn(const StrictModel& model, model::ThinkingLevel thinking, const std::string& prompt);
  // Results for the first `count` calls of the last message; every other one is an error.
  void answer_calls(std::size_t count = 99);
  void cut_last(model::Stop stop);  // the last answer was cut, in the middle of its words
  // Everything before the last `kept` messages becomes a summary.
  void sum_up(std::size_t kept, model::Seals seals);
  void redact(std::size_t message);
  std::string new_id();

  std::string system = "be brief";
  std::vector<model::Message> messages{};
  std::vector<std::string> refusals{};  // and faults of our own
  std::string last_request{};
  std::size_t dropped = 0;  // thoughts behind a changed past, as the service reports it

 private:
  catalog::Catalog catalog_{};
  StrictService service_{};
  int ids_ = 0;
};

}  // namespace skein::test
