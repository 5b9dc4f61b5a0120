// Items of Codex, which are those of OpenAI's Responses, as our blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/importers/receiver.h"
#include "core/model/message.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

// What a text is that nobody typed; empty: somebody did.
std::string codex_context(const Json& message, std::string_view text);

// The texts and images of a message or an output. Images are kept by `receiver`.
std::vector<model::Block> codex_content(const Json& content, Receiver& receiver);

// What the model said, thought or called. `sealed` thoughts are not among them.
struct CodexBlocks {
  std::vector<model::Block> blocks{};
  bool sealed = false;
};
CodexBlocks codex_blocks(const Json& item, std::string_view call, Receiver& receiver);

// The answer to a call. `call` is its id.
model::ToolResult codex_result(const Json& item, std::string call, Receiver& receiver);
// To a call that the service carried out: what is known of it.
model::ToolResult codex_search_result(const Json& item, std::string call, Receiver& receiver);

model::Usage codex_usage(const Json& usage);
// The texts of a history that replaces another, and of the message that came with it.
std::string codex_summary(const Json& compacted);

}  // namespace skein::exchange::importers
