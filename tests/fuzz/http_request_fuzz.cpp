// The head of a request to the page server: any bytes are refused, taken or waited for, and whether
// they are taken does not depend on what follows the head.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/page_server.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const skein::app::ReadRequest read = skein::app::read_request(bytes);
  if (read.request && (read.status != 0 || read.request->host.empty())) std::abort();
  if (read.request && !read.request->path.starts_with('/')) std::abort();
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  const auto head = skein::app::read_request(bytes.substr(0, end + 4));
  if (head.request.has_value() != read.request.has_value()) std::abort();
  return 0;
}
