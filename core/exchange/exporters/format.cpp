#include "core/exchange/exporters/format.h"

#include <algorithm>
#include <iterator>

#include "core/exchange/exporters/anthropic.h"
#include "core/exchange/exporters/google.h"
#include "core/exchange/exporters/html.h"
#include "core/exchange/exporters/json.h"
#include "core/exchange/exporters/jsonl.h"
#include "core/exchange/exporters/markdown.h"
#include "core/exchange/exporters/openai.h"
#include "core/exchange/exporters/pi.h"
#include "core/exchange/exporters/text.h"

namespace skein::exchange::exporters {

namespace {

constexpr Format table[] = {
    {"markdown", ".md", "a document with the entries' ids", true, write_markdown},
    {"html", ".html", "one page to read and search, without network", true, write_html},
    {"jsonl", ".jsonl", "an entry a line, for `skein append`", true, write_jsonl},
    {"json", ".json", "one object: session, entries, leaves", true, write_json},
    {"text", ".txt", "a plain transcript", true, write_text},
    {"pi", ".pi.jsonl", "a session file of pi", true, write_pi},
    {"openai", ".openai.json", "messages of a chat completions request", false, write_openai},
    {"anthropic", ".anthropic.json", "messages of a messages request", false, write_anthropic},
    {"google", ".google.json", "contents of a generateContent request", false, write_google},
};

}  // namespace

std::span<const Format> formats() { return table; }

const Format* format_named(std::string_view name) {
  if (name == "md") name = "markdown";
  const auto found = std::ranges::find(table, name, &Format::name);
  return found == std::end(table) ? nullptr : &*found;
}

const Format* format_of_file(std::string_view file) {
  const Format* best = nullptr;
  for (const Format& each : table)
    if (file.ends_with(each.extension) &&
        (best == nullptr || best->extension.size() < each.extension.size()))
      best = &each;
  return best;
}

std::string format_names() {
  std::string out;
  for (const Format& each : table) out += (out.empty() ? "" : ", ") + std::string(each.name);
  return out;
}

}  // namespace skein::exchange::exporters
