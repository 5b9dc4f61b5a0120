// What another model may see of one message: the rules for single blocks, and the tool loops that
// one model began and another took over. The order of messages is up to core/handover/normalize.
#pragma once

#include "core/handover/target.h"
#include "core/model/message.h"

namespace skein::handover {

// What becomes of a thinking block. Plain text has no tags around it: models imitate tags. They
// also imitate thoughts among the answers, so other models' thoughts are left out, except in a loop
// the target took over (`unended`; see unended_loops) or where the user wants them.
enum class BlockTreatment { kept, plain_text, dropped };
BlockTreatment fate(const model::Thinking& block, const model::Message& author,
                    const Target& target, bool unended = false);
BlockTreatment fate(const model::Image& block, const model::Message& author, const Target& target);
BlockTreatment fate(const model::Opaque& block, const model::Message& author, const Target& target);

// The blocks of a user or assistant message without tool results, which go where their calls are.
// Calls keep their ids here. A tool message yields nothing: tool output must never be mistaken for
// the user's words.
std::vector<model::Block> carry_over(const model::Message& message, const Target& target,
                                     bool unended = false);

// Begins a new paragraph if `before` ends in a text. Chat completions have one string for the whole
// reply, so texts that were separate must be separate paragraphs in it.
void set_apart(std::string& text, const std::vector<model::Block>& before);

// The id under which a Responses server knows this block; empty if it has none.
std::string item_id(const model::Block& block);

// A result as it goes back, without an id yet. `own`: the call was made by the target itself.
// Images that are not allowed in results are moved to `attached`; Anthropic allows none in a result
// that is an error.
model::ToolResult carry_over(const model::ToolResult& result, bool own, const Target& target,
                             std::vector<model::Block>& attached);

// For each message: whether it is a reply in a tool loop that its author did not end. What such a
// model thought is the only word of what its calls were for, so the model that continues may see
// it.
//
// It depends on nothing that a later request of the same model could change: a loop counts as
// unended from its first call until its author, and no other, continues it.
std::vector<bool> unended_loops(const std::vector<model::Message>& messages);

}  // namespace skein::handover
