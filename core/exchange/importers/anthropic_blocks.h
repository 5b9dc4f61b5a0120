// Content blocks as Anthropic's API has them, and as the programs around it write them down, as
// ours. What others sealed is never ours to send: of thinking the text stays, without a signature.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/importers/receiver.h"
#include "core/model/message.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

class AnthropicBlocks {
 public:
  // `receiver` keeps the images, and must outlive this.
  explicit AnthropicBlocks(Receiver& receiver) : receiver_(receiver) {}

  // A string, or blocks. Empty texts and thinking of which only the sealed form is there are left
  // out. `calls_named`: what calls without an id are called, with a number behind it.
  std::vector<model::Block> content(const Json& json, std::string_view calls_named);
  std::vector<model::ResultBlock> result_content(const Json& json);

  // Whether something that was read since this was asked last has no place in our blocks.
  bool take_left_out();

 private:
  void add(std::vector<model::Block>& out, const Json& json, std::string_view calls_named);
  void add_thinking(std::vector<model::Block>& out, const Json& json);
  void add_file(std::vector<model::Block>& out, const Json& json);
  void add_unknown(std::vector<model::Block>& out, const Json& json);

  Receiver& receiver_;
  bool left_out_ = false;
};

model::Usage anthropic_usage(const Json& usage);
// Stop::none: it does not say.
model::Stop anthropic_stop(std::string_view reason);

// How an answer ended that does not say so: other programs write down only whole blocks, so what
// has words has them all.
model::Stop end_of(const model::Message& answer);

}  // namespace skein::exchange::importers
