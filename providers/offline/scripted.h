// scripted/<file>: a model that says what a script says, for tests and demonstrations.
//
// The script is a JSON array of replies, one per model call. A reply is a string, or an array of
// steps, each an object with one member:
//   {"think": "text"}   {"say": "text"}   {"say": ["piece", "piece"]}
//   {"call": {"name": "read", "input": {"path": "a"}, "id": "optional"}}
//   {"wait": 100}       milliseconds
//   {"usage": {"input": 1, "output": 2, "cache_read": 0, "cache_write": 0, "reasoning": 0}}
//   {"stop": "length"}  the reason given; without it "tool_use" if there were calls, else "stop"
//   {"error": "text"}   the provider reports an error       {"cut": true}   the line goes dead
//   {"overflow": "text"} the same: the request was too long
#pragma once

#include "core/model/provider.h"

namespace skein::offline {

class ScriptedProvider : public model::Provider {
 public:
  explicit ScriptedProvider(JsonText script);  // throws if the script is not one
  static ScriptedProvider load(const std::string& file);

  // The next reply of the script. A resumed session continues after the replies it has.
  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports& ports) override;

 private:
  JsonText script_;
  std::size_t next_ = 0;
};

}  // namespace skein::offline
