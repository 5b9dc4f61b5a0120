#include "core/memory/memory.h"

#include <utility>

namespace skein::memory {

Memory::Memory(const std::string& folder, const std::string& project)
    : everywhere_(folder.empty() ? "" : folder + "/global.md"),
      project_(folder.empty() ? "" : folder + "/" + project + ".md") {
  refresh();
}

std::vector<Memory::Numbered> Memory::notes() const {
  std::vector<Numbered> out;
  for (const Scope scope : {Scope::everywhere, Scope::project})
    for (Note& note : notes_in(file(scope).text())) out.push_back({scope, std::move(note)});
  return out;
}

bool Memory::refresh() {
  const std::string everywhere = std::exchange(told_everywhere_, told_of(everywhere_.text()));
  const std::string project = std::exchange(told_project_, told_of(project_.text()));
  return everywhere != told_everywhere_ || project != told_project_;
}

}  // namespace skein::memory
