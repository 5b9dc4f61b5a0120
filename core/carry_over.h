// What another model may see of one message: the rules for single blocks. How messages follow each
// other is core/normalize's part.
#pragma once

#include <string>
#include <vector>

#include "core/message.h"
#include "core/target.h"

namespace skein {

// What becomes of a thinking block. Plain text has no tags around it: models imitate tags.
enum class Fate { kept, plain_text, dropped };
Fate fate(const Thinking& block, const Message& author, const Target& target);
Fate fate(const Image& block, const Message& author, const Target& target);
Fate fate(const Opaque& block, const Message& author, const Target& target);

// The blocks of a user or assistant message, tool results left out: they go where their calls are.
// Calls keep their ids here. Nothing comes of a tool message: what a tool printed must never
// be taken for the user's words.
std::vector<Block> carry_over(const Message& message, const Target& target);

// Begins a paragraph of its own if `before` ends in a text. Chat completions have one string for
// all that a reply says, so what was apart must be so in it.
void set_apart(std::string& text, const std::vector<Block>& before);

// The id under which a Responses server knows this block; empty if it has none.
std::string item_id(const Block& block);

// A result as it goes back, without an id yet. `own`: the call was made by the target itself.
// Images that must not stand in results are moved to `attached`.
ToolResult carry_over(const ToolResult& result, bool own, const Target& target,
                      std::vector<Block>& attached);

}  // namespace skein
