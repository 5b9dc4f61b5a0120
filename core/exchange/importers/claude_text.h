// What stands among the user's words in Claude Code's files without being theirs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/importers/receiver.h"
#include "core/model/message.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

// What a text is that nobody typed; empty: somebody did.
std::string_view claude_context(std::string_view text);
// What a background task or another agent reports to the model, in the place of the user's words.
bool is_claude_report(std::string_view text);
// "/name arguments", of a command's line; empty: it names none.
std::string claude_command(std::string_view text);
// The name of the file an output was put into because it was too long for a line: "x.txt" of
// …/tool-results/x.txt. Empty: it was not.
std::string claude_spilled(std::string_view text);

// The user's words, and what stood between them.
struct ClaudePrompt {
  std::vector<model::Block> content{};
  std::vector<ForeignContext> contexts{};
};
ClaudePrompt divided(std::vector<model::Block> blocks);

// Texts as they are, images by the names of their blobs.
std::string as_text(const std::vector<model::Block>& blocks);
// What an attachment says. Its images are kept by `receiver`.
std::string attachment_text(const Json& attachment, Receiver& receiver);

}  // namespace skein::exchange::importers
