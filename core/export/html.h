// One self-contained page: the data as JSON, one small script that shows it, and without that
// script a plain body. What came from the transcript is text everywhere in it.
#pragma once

#include "core/export/exported_session.h"

namespace skein::exporters {

void write_html(const ExportedSession& session, const Sink& sink);

// The same for a page that asks where it came from for what is said later, at `events`.
void write_live_html(const ExportedSession& session, const Sink& sink);

// What a browser may do with the page: run our script, and nothing else.
std::string page_policy(bool live);

// What the page's script is given of an entry, as compact JSON that may be inside of a <script>
// element:
// {i: id, p: parent, t: user|assistant|tool|skein|summary|note, at: time, x: marginal, m: model,
// b: blocks, e: error, n: a note, l: its long text}; blocks are ["t", text], ["k", thinking],
// ["i", data URL], ["c", call id, tool, input] and ["r", call id, failed, text, images].
// nullopt: nothing of it is shown.
std::optional<JsonText> page_entry(const ExportedSession& session, const model::Entry& entry);

// The style and the script of the page: the files in page/, made into constants when skein is
// built.
extern const std::string_view page_style;
extern const std::string_view page_script;

}  // namespace skein::exporters
