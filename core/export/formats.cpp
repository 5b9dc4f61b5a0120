#include "core/export/formats.h"

#include "core/export/html.h"
#include "core/text/text.h"

namespace skein::exporters {

// documents.cpp, json.cpp, otlp.cpp, pi.cpp and requests.cpp define these.
Writes write_markdown, write_text, write_jsonl, write_json, write_pi, write_openai, write_anthropic,
    write_google, write_otlp;

namespace {

constexpr ExportFormat table[] = {
    {"markdown", ".md", "a Markdown document with the ids of the entries", true, write_markdown},
    {"html", ".html", "one page to read and search, works offline", true, write_html},
    {"jsonl", ".jsonl", "one entry per line, for `skein append`", true, write_jsonl},
    {"json", ".json", "one object: session, entries, leaves", true, write_json},
    {"text", ".txt", "a plain transcript", true, write_text},
    {"pi", ".pi.jsonl", "a session file of pi", true, write_pi},
    {"openai", ".openai.json", "messages of a chat completions request", false, write_openai},
    {"anthropic", ".anthropic.json", "messages of a messages request", false, write_anthropic},
    {"google", ".google.json", "contents of a generateContent request", false, write_google},
    {"otlp", ".otlp.json", "spans of OpenTelemetry, without texts", true, write_otlp},
};

}  // namespace

std::span<const ExportFormat> formats() { return table; }

const ExportFormat* format_named(std::string_view name) {
  if (name == "md") name = "markdown";
  const auto found = std::ranges::find(table, name, &ExportFormat::name);
  return found == std::end(table) ? nullptr : &*found;
}

const ExportFormat* format_of_file(std::string_view file) {
  const ExportFormat* best = nullptr;
  for (const ExportFormat& each : table)
    if (file.ends_with(each.extension) &&
        (best == nullptr || best->extension.size() < each.extension.size()))
      best = &each;
  return best;
}

std::string format_names() { return listed(table, ", ", &ExportFormat::name); }

}  // namespace skein::exporters
