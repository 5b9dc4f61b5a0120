// A transcript of any bytes: the scan ends, accounts for every byte once, in order, and reading
// backward tells nothing the scan does not.
#include <cstdlib>
#include <string_view>

#include "core/store/scan.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto files = memory_files();
  const int made = files->open("transcript", OpenAs::creator);
  files->write(made, {reinterpret_cast<const char*>(data), size});
  std::uint64_t reached = 0;
  ScanEnd end;
  const int failed = scan(
      *files, made, {.seed = seal_seed(Id{1})},
      [&](const Found& found) {
        if (found.begin != reached || found.end <= found.begin) std::abort();
        reached = found.end;
      },
      end);
  if (failed != 0 || reached != size || end.size != size || end.end > size) std::abort();
  read_back(*files, made, seal_seed(Id{1}), size, [](const Found&) { return true; });
  return 0;
}
