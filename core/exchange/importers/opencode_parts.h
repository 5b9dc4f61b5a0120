// What opencode's messages are made of, as blocks. For .cpp files only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/exchange/importers/receiver.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

struct OpencodePart {
  std::string id{};
  Json data{};
};

// One call of the model in a message of opencode, which may have several.
struct OpencodeStep {
  std::vector<model::Block> said{};
  std::vector<model::Block> results{};
  std::optional<model::Usage> usage{};
  std::string reason{};   // why it ended, in opencode's words
  bool ended = false;     // it says so itself
  bool waiting = false;   // for a tool that has not answered
  Json sealed = nullptr;  // parts with something that has no place here
  std::string first{};    // id of its first part
  bool empty() const { return said.empty() && results.empty() && !ended; }
};
std::vector<OpencodeStep> opencode_steps(const std::vector<OpencodePart>& parts,
                                         Receiver& receiver);

// A call and what came of it, as a step has them. `id` and `name` stand elsewhere in each version.
void add_opencode_call(OpencodeStep& step, std::string id, std::string name, const Json& state,
                       Receiver& receiver);

// nullopt: none are told.
std::optional<model::Usage> opencode_usage(const Json& tokens);
// `error` is that of a message: null if nothing went wrong.
model::Stop opencode_stop(const std::string& reason, const Json& error,
                          const std::vector<model::Block>& said);
std::string opencode_error(const Json& error);

// A file that the user attached, or that a tool gave: an image is kept, others are not taken over.
std::optional<model::Image> opencode_image(const Json& file, Receiver& receiver);

}  // namespace skein::exchange::importers
