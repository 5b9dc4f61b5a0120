// What statistics need of a message in a transcript.
#pragma once

#include "core/model/message.h"
#include "core/model/state.h"

namespace skein::insights {

// What is counted of a message, read from its line with as little work as can be: of most lines
// only the ends are looked at. The footer is an answer's.
struct MessageFacts : model::AnswerFooter {
  enum class Kind { other, prompt, answer, results } kind = Kind::other;

  // Of an answer.
  bool empty = false;  // it says nothing
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
