#include "core/text/image_type.h"

namespace skein {

namespace {

struct ImageKind {
  std::string_view magic;
  std::size_t at;
  std::string_view mime_type;
};
constexpr ImageKind kinds[] = {
    {"\x89PNG\r\n\x1a\n", 0, "image/png"},
    {"\xff\xd8\xff", 0, "image/jpeg"},
    {"GIF8", 0, "image/gif"},
    {"WEBP", 8, "image/webp"},
};

}  // namespace

std::string_view image_type(std::string_view bytes) {
  for (const ImageKind& kind : kinds)
    if (bytes.size() > kind.at && bytes.substr(kind.at).starts_with(kind.magic))
      return kind.mime_type;
  return {};
}

}  // namespace skein
