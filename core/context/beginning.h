// How a request begins, and from where on a path what a model thought may still be sent. Both are
// written down on the path itself, so that a process that continues it later sends the same bytes:
// a service may bind thinking to everything before it. Pure.
#pragma once

#include "core/model/entry.h"
#include "core/model/payloads.h"

namespace skein::context {

// The last entry of this type; null: there is none.
const model::Entry* last_of(std::span<const model::Entry> path, std::string_view type);

// The entry that says how requests begin; null: there is none, or only one of an older version that
// lacks the tools.
const model::Entry* last_beginning(std::span<const model::Entry> path);

// The first entry whose thinking was made behind what is sent now. A new beginning or a summary
// changes what comes before.
std::size_t thinking_counts_from(std::span<const model::Entry> path);

// The entries of the path that are sent masked.
std::vector<Id> masked_in(std::span<const model::Entry> path, const std::set<Id>& redacted);

// What is sent on this path instead of results that the user dropped; see payload::RuntimeInit.
std::map<std::string, std::string> dropped_on(std::span<const model::Entry> path);
// Marks the beginning that was written to drop a result.
inline constexpr const char* drop_meta = R"({"drop":true})";
bool drops_result(const model::Entry& entry);

// A message about what has changed since the beginning; its entry says what, by name, as hashes. An
// empty hash: it is gone.
using Said = std::map<std::string, std::string>;
model::Entry change_entry(const std::string& text, const Said& changed);
std::optional<Said> changes_in(const model::Entry& entry);  // none: it is about no change

// What the model knows on this path by the beginning and by messages since. Empty if there is no
// beginning.
Said said_on(std::span<const model::Entry> path);

// Instructions that came with results on this path, because a file they are about was used: by the
// path of their file, as hashes. What is masked or dropped by now counts as not said.
Said instructions_on(std::span<const model::Entry> path, const std::set<Id>& redacted);
JsonText instructions_meta(const Said& attached);  // of the entry they came with

}  // namespace skein::context
