// What is counted of a message, read from its line with as little work as can be: of most lines
// only the ends are looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/message.h"

namespace skein::insights {

struct MessageFacts {
  enum class Kind { other, prompt, answer, results } kind = Kind::other;

  // Of an answer.
  std::string_view provider{}, model{};
  std::optional<model::Usage> usage{};
  bool empty = false;  // it says nothing
  std::int64_t duration_ms = 0, first_token_ms = 0;
  struct Call {
    std::string_view id, name;
  };
  std::vector<Call> calls{};

  // Of results: those that failed.
  struct Failure {
    std::string_view call;
    bool refused = false;  // by the user
  };
  std::vector<Failure> failures{};

  // Where a line had to be parsed, the texts above are here.
  std::unique_ptr<model::Message> parsed{};
};

// `body` as a scan finds it: the payload, maybe with `,"meta":…` behind it. What is returned may
// point into it.
MessageFacts facts_of_message(std::string_view body);

}  // namespace skein::insights
