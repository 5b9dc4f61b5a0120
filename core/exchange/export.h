// A conversation as a document: Markdown for people, JSON Lines for programs. Pure; the caller
// masks the entries.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/model/entry.h"

namespace skein::exchange {

std::string as_markdown(std::string_view title, std::span<const model::Entry> path);

// One entry a line, each with its parent: `skein append` takes them back.
std::string as_json_lines(std::span<const model::Entry> path);

}  // namespace skein::exchange
