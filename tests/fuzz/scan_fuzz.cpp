// A transcript of any bytes: the scan ends, accounts for every byte once, in order, and reading
// backward tells nothing the scan does not.
#include <cstdlib>
#include <string_view>

#include "core/store/files/named_files.h"
#include "core/store/log/log_reader.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto files = store::files::memory_files();
  const auto made =
      store::files::open(*files, "transcript", store::files::OpenAs::creator, "transcript");
  (void)made->write({reinterpret_cast<const char*>(data), size});
  std::uint64_t reached = 0;
  const store::Result<store::log::ScanEnd> end =
      store::log::scan(*made, {.session = Id{1}}, [&](const store::log::ScannedLine& found) {
        if (found.begin != reached || found.end <= found.begin) std::abort();
        reached = found.end;
      });
  if (!end || reached != size || end->size != size || end->end > size) std::abort();
  (void)store::log::read_back(*made, Id{1}, size,
                              [](const store::log::ScannedLine&) { return true; });
  return 0;
}
