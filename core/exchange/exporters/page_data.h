// What the page's script is given: sessions and entries as compact JSON that may stand inside of a
// <script> element.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/exchange/exporters/exported_session.h"

namespace skein::exchange::exporters {

// The session itself, without its entries.
JsonText page_session(const ExportedSession& session);

// {i: id, p: parent, t: user|assistant|tool|skein|summary|note, at: time, x: marginal, m: model,
// b: blocks, e: error, n: a note, l: its long text}; blocks are ["t", text], ["k", thinking],
// ["i", data URL], ["c", call id, tool, input] and ["r", call id, failed, text, images].
// nullopt: nothing of it is shown.
std::optional<JsonText> page_entry(const ExportedSession& session, const model::Entry& entry);

// `<` as \u003c: no text can end the element it stands in, or begin a comment.
JsonText inside_script(JsonText json);

// Text as HTML text and attribute values have it; what no document may hold becomes U+FFFD.
std::string html_escaped(std::string_view text);

}  // namespace skein::exchange::exporters
