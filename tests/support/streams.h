// Event streams of our own making: one script of what a model says, written down as each wire
// format would carry it. For sweeps and benches.
#pragma once

#include <string>
#include <vector>

#include "core/model/message.h"
#include "providers/wire/codecs.h"

namespace skein {

// What a model says, step by step. A call's input may come in pieces; a new id is a new call.
struct Step {
  enum class Kind { think, text, call } kind;
  std::string piece;  // as it stands in a JSON string: with its escapes
  std::string id{};
};
using Script = std::vector<Step>;

// The body of a response that follows the script and ends so. Ends other than stop, tool_use and
// length are an error of the provider. With `length` the last call is not ended.
std::string rendered(const wire::Codec& codec, const Script& script, model::Stop end);

// `words` words of thinking, then of text, then calls, `words` pieces of input in all.
Script talk(std::size_t words);
// Text of many alphabets, with surrogate pairs cut between steps.
Script alphabets(std::size_t words);

struct BuiltStream {
  std::string name;
  const wire::Codec* codec;
  std::string body;
  model::Stop stop;  // what it must come out as
};
// Every wire with every end, with all line ends and with comments between the events.
std::vector<BuiltStream> built_streams(std::size_t words);

}  // namespace skein
