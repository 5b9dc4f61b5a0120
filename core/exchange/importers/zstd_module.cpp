// Zstandard, frame after frame, as a stream.
#include <zstd.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "core/exchange/importers/containers.h"

namespace skein::exchange::importers {

namespace {

struct EndStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* skein_module_version() {
  return SKEIN_VERSION;
}

extern "C" __attribute__((visibility("default"))) void skein_containers_unpack(
    const ByteSource& source, const ByteSink& sink, std::string& problem) {
  const std::unique_ptr<ZSTD_DStream, EndStream> stream(ZSTD_createDStream());
  if (stream == nullptr) {
    problem = "out of memory";
    return;
  }
  std::vector<char> packed(ZSTD_DStreamInSize()), unpacked(ZSTD_DStreamOutSize());
  std::size_t missing = 0;  // of the frame that was begun, as a hint; 0: it is whole
  for (std::size_t size; (size = source(packed)) > 0;) {
    ZSTD_inBuffer in{packed.data(), size, 0};
    // A full buffer of output may mean that there is more without more input.
    bool more = false;
    while (in.pos < in.size || more) {
      ZSTD_outBuffer out{unpacked.data(), unpacked.size(), 0};
      missing = ZSTD_decompressStream(stream.get(), &out, &in);
      if (ZSTD_isError(missing) != 0) {
        problem = ZSTD_getErrorName(missing);
        return;
      }
      if (out.pos > 0 && !sink({unpacked.data(), out.pos})) return;
      more = out.pos == out.size && missing != 0;
    }
  }
  if (missing != 0) problem = "its end is missing";
}

static_assert(std::is_same_v<decltype(&skein_containers_unpack), UnpackFunction>);

}  // namespace skein::exchange::importers
