// The parts Google's models speak in, as our blocks. Gemini CLI and Qwen Code keep them as they
// came. For .cpp files only.
#pragma once

#include "core/import/source/foreign_json.h"

namespace skein::importers {

struct GeminiContent {
  std::vector<model::Block> said{};  // texts, thoughts, images, calls
  std::vector<model::ToolResult> results{};
  std::size_t calls = 0;
  bool unplaced = false;  // something of it has no place in these: a seal, a part of another kind
};

class GeminiParts {
 public:
  explicit GeminiParts(Receiver& receiver) : receiver_(receiver) {}

  // A string, a part or parts. `where` is an id in the session; those of calls without one depend
  // on it.
  GeminiContent read(const Json& content, std::string_view where);
  // A call as {id?, name, args}, of which this is the n-th there.
  model::ToolUse call(const Json& json, std::string_view where, std::size_t n);

 private:
  void add_part(const Json& part, std::string_view where, GeminiContent& out);
  model::ToolResult result(const Json& response);
  std::optional<model::Image> image(const Json& data);

  Receiver& receiver_;
  // Calls without an id: a result that has none either belongs to the first of its name.
  std::map<std::string, std::deque<std::string>, std::less<>> open_{};
};

// Google counts thoughts apart, others as part of the output; the total tells which. Nothing if
// nothing was counted.
// `names`: of the prompt's tokens, those of the output, cached, thoughts, tools, and the total.
using GeminiCounts = std::array<const char*, 6>;
std::optional<model::Usage> gemini_usage(const Json& counts, const GeminiCounts& names);

// All texts that are no thoughts, joined, without reading anything else of it.
std::string spoken_text(const Json& content);

}  // namespace skein::importers
