// A conversation as a document: Markdown for people, JSON Lines for programs. Pure; entries come
// masked by whoever loads them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/entry.h"

namespace skein {

std::string as_markdown(std::string_view title, std::span<const Entry> path);

// One entry a line, each with its parent: `skein append` takes them back.
std::string as_json_lines(std::span<const Entry> path);

}  // namespace skein
