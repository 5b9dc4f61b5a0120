#include "core/mcp/content.h"

#include <optional>
#include <string>
#include <utility>

#include "core/text/base.h"
#include "core/text/base64.h"
#include "core/text/image_type.h"
#include "core/tools/sandbox/capture.h"

namespace skein::mcp {

namespace {

constexpr std::size_t kept_bytes = 64u << 20;

class Collected {
 public:
  explicit Collected(const model::ToolPorts& ports) : ports_(ports) {}

  void add(const Json& block) {
    const std::string type = string_at(block, "type");
    if (type == "text")
      text(string_at(block, "text"));
    else if (type == "image" || type == "audio")
      bytes(string_at(block, "data"), string_at(block, "mimeType"), type);
    else if (type == "resource_link")
      text(string_at(block, "uri") + " (" + string_at(block, "name", "unnamed") + ")");
    else if (type == "resource")
      resource(at(block, "resource"));
    else
      text("[a block of the type '" + std::string(utf8_prefix(type, 40)) + "' was left out]");
  }

  void text(const std::string& words) {
    if (texts_.size() > 0) texts_.add("\n");
    texts_.add(words);
  }

  model::ToolOutcome outcome(bool failed) {
    if (texts_.size() == 0 && images_.empty()) texts_.add("[no output]");
    model::ToolOutcome out;
    if (texts_.size() > 0) out.content.push_back(model::Text{texts_.text()});
    for (model::Image& image : images_) out.content.push_back(std::move(image));
    out.is_error = failed;
    if (texts_.is_cut() && ports_.keep_blob)
      texts_.with_whole([&](std::string_view whole) { out.blob = ports_.keep_blob(whole); });
    return out;
  }

 private:
  void resource(const Json& inner) {
    const std::string uri = string_at(inner, "uri");
    if (at(inner, "blob").is_string())
      bytes(string_at(inner, "blob"), string_at(inner, "mimeType"), uri);
    else
      text(uri + ":\n" + string_at(inner, "text"));
  }

  void bytes(const std::string& encoded, const std::string& mime, const std::string& what) {
    const std::optional<std::string> decoded = from_base64(encoded);
    if (!decoded) return text("[" + what + " could not be read: it is no base64]");
    // By its bytes, not by what the server calls it: a service refuses what does not match.
    const std::string_view kind = image_type(*decoded);
    const std::string blob = ports_.keep_blob ? ports_.keep_blob(*decoded) : std::string{};
    if (!blob.empty() && !kind.empty() && decoded->size() <= most_image_bytes) {
      images_.push_back({.mime_type = std::string(kind), .blob = blob});
      return;
    }
    text("[" + what + ", " + (mime.empty() ? "of no known type" : mime) + ", " +
         with_separators(decoded->size()) + " bytes" +
         (blob.empty() ? ", not kept]" : ", kept as " + blob + "]"));
  }

  const model::ToolPorts& ports_;
  tools::sandbox::Capture texts_{most_result_bytes, kept_bytes};
  std::vector<model::Image> images_{};
};

}  // namespace

model::ToolOutcome outcome_of(const Json& result, const model::ToolPorts& ports) {
  Collected collected(ports);
  const Json& content = at(result, "content");
  if (content.is_array() && !content.empty())
    for (const Json& block : content) collected.add(block);
  else if (at(result, "structuredContent").is_object())
    collected.text(text_at(result, "structuredContent"));
  return collected.outcome(bool_at(result, "isError"));
}

}  // namespace skein::mcp
