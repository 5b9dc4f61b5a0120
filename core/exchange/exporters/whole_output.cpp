#include "core/exchange/exporters/whole_output.h"

#include "core/text/base64.h"
#include "core/text/image_type.h"

namespace skein::exchange::exporters {

std::string words_of(const model::ToolResult& result) {
  std::string out;
  for (const model::ResultBlock& part : result.content)
    if (const auto* words = std::get_if<model::Text>(&part)) out += words->text;
  return out;
}

std::string whole_output(const ExportedSession& session, const model::ToolResult& result) {
  if (!result.blob.empty())
    if (std::string all = session.blob(result.blob);
        !all.empty() && all.size() <= most_output_bytes && image_type(all).empty())
      return valid_utf8(all);
  return words_of(result);
}

LoadedImage load_image(const ExportedSession& session, const model::Image& image) {
  const std::string bytes = image.bytes.empty() ? session.blob(image.blob) : image.bytes;
  const std::string_view type = image_type(bytes);
  if (type.empty()) return {};
  return {std::string(type), base64(bytes)};
}

}  // namespace skein::exchange::exporters
