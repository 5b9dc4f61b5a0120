// The services as they document themselves today, at their strictest: every thought and call they
// sign is remembered with what stood before it, and what comes back otherwise is refused in their
// own words. No sockets; tests/support/loopback_server can carry what it says.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/handover/target.h"
#include "core/text/json.h"

namespace skein::test {

// A model with the rules its vendor gives it, said here and not read from its name.
struct StrictModel {
  handover::WireFormat wire;
  std::string provider, model;
  bool prefix_bound = false;    // Anthropic: a thought holds only behind its own past
  bool budget = false;          // Anthropic: thinks by a number of tokens
  bool signs = false;           // Google: calls must come back signed and with ids
  bool reasons_always = false;  // chat: reasoning_content in every reply
  bool responses_only = false;  // chat: tools and thinking are for /v1/responses
};

// What the model says to a request.
struct Said {
  std::string text{};
  std::vector<std::string> calls{};  // of `read`, by the ids they are to have
  bool thinks = true;
};

struct ServiceAnswer {
  int status = 200;
  std::string body{};  // a stream of events, or an error
};

class StrictService {
 public:
  // `betas`: the value of the request's beta header.
  ServiceAnswer answer(const StrictModel& model, const std::string& body, std::string_view betas,
                       const Said& said);

  // What was left out of the last request it took, as the service reports it.
  const Json& transformations() const { return transformations_; }

 private:
  // What a thought was signed for.
  struct Bound {
    std::string model, past, thought_before;
    bool to_past = false;
  };

  // Each gives the error, or nothing.
  std::string judge_anthropic(const StrictModel& model, const Json& body, std::string_view betas);
  std::string judge_thoughts(const StrictModel& model, const Json& body, std::size_t message);
  void note_pasts(const Json& body);
  // What stands before a block of a message, thoughts and marks of the cache not counted.
  std::string past_of(const Json& content, std::size_t message, std::size_t block) const;
  std::string judge_chat(const StrictModel& model, const Json& body) const;
  std::string judge_responses(const StrictModel& model, const Json& body) const;
  std::string judge_google(const StrictModel& model, const Json& body) const;

  std::string say_anthropic(const StrictModel& model, const Json& body, const Said& said);
  std::string say_chat(const Said& said) const;
  std::string say_responses(const StrictModel& model, const Said& said);
  std::string say_google(const StrictModel& model, const Said& said);
  std::string new_seal(const char* kind);

  std::map<std::string, Bound> thoughts_{};     // Anthropic's, by signature
  std::map<std::string, std::string> seals_{};  // the others', by whom they are for
  std::map<std::string, std::string> needs_{};  // Responses: an item and the reasoning before it
  Json transformations_ = Json::array();
  std::string last_thought_{};  // in the request that is judged
  std::vector<std::string> pasts_{};
  int made_ = 0;
};

}  // namespace skein::test
