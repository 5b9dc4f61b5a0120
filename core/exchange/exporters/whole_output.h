// What a tool answered, for people: all of it where it was kept apart and is not enormous.
#pragma once

#include <cstddef>
#include <string>

#include "core/exchange/exporters/exported_session.h"
#include "core/model/message.h"

namespace skein::exchange::exporters {

inline constexpr std::size_t most_output_bytes = 1 << 20;

// The texts of a result; its images are not in it.
std::string words_of(const model::ToolResult& result);
// The same, from the blob if that has at most most_output_bytes.
std::string whole_output(const ExportedSession& session, const model::ToolResult& result);

// The bytes of an image and what kind it is, by how they begin; empty: it is not there or is none.
struct LoadedImage {
  std::string mime_type{};
  std::string base64{};
  bool there() const { return !base64.empty(); }
  std::string data_url() const { return "data:" + mime_type + ";base64," + base64; }
};
LoadedImage load_image(const ExportedSession& session, const model::Image& image);

}  // namespace skein::exchange::exporters
