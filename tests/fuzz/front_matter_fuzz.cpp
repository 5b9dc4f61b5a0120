// Any text as a Markdown file with front matter: it is never read past its end, a field that counts
// is found by its name, and a fault has a line of the file.
#include <algorithm>
#include <cstdlib>

#include "core/project/markdown_files.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const project::FrontMatter front = project::read_front_matter(file);
  const auto lines = static_cast<std::size_t>(std::ranges::count(file, '\n')) + 1;
  if (front.body > file.size()) std::abort();
  if (front.fault && (front.fault->reason.empty() || front.fault->line > lines)) std::abort();
  for (const project::FrontMatter::Field& field : front.fields) {
    if (front.find(field.name) == nullptr) std::abort();
    front.text(field.name);
    front.list(field.name);
    front.map(field.name);
    front.flag(field.name);
  }
  return 0;
}
