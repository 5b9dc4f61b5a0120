#include "core/tools/workspace/roots.h"

#include "core/model/further_place.h"

namespace skein::tools::workspace {

using model::further_folder_of, model::further_place, model::inner_place;

Roots::Chosen Roots::of(std::string_view path, Use use) const {
  if (further_)
    if (FurtherRoots::Found found = further_->find(path); found.root)
      return {std::move(found.root), true, found.read_only && use == Use::writes};
  if (readable_ && use == Use::reads)
    if (auto root = readable_->root_of(path)) return {std::move(root)};
  return {workspace_};
}

std::string Roots::closed_to_changes(std::string_view path) {
  return std::string(path) + ": that folder is open for reading only";
}

model::Located Roots::located(std::string_view path, Use use) const {
  const Chosen chosen = of(path, use);
  model::Located place = chosen.root->located(path);
  if (!chosen.further || place.below.empty()) return place;
  if (chosen.closed) {
    place.below.clear();
    place.refusal = closed_to_changes(path);
  } else {
    place.below = further_place(chosen.root->path(), place.below);
  }
  return place;
}

model::ToolPorts Roots::ports_in(const Chosen& chosen, const model::ToolPorts& ports) {
  model::ToolPorts out = ports;
  const std::string folder = chosen.root->path();
  if (ports.judged) {
    const auto inner = inner_place(*ports.judged);
    // Judged as a place elsewhere: no place there is called by nothing.
    out.judged = inner && further_folder_of(*ports.judged) == folder ? std::string(*inner) : "";
  }
  if (ports.denied)
    out.denied = [folder, denied = ports.denied](std::string_view below) {
      return denied(further_place(folder, below));
    };
  out.before_write = {};
  return out;
}

}  // namespace skein::tools::workspace
