#include "core/instructions/instructions.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace skein::instructions {

Instructions::Instructions(Places places, std::size_t most_bytes, Source::Withheld withheld)
    : places_(std::move(places)),
      most_bytes_(most_bytes),
      withheld_(std::move(withheld)),
      source_(places_.project(), most_bytes_ / 2, withheld_) {
  load();
}

void Instructions::load() {
  if (most_bytes_ == 0) return;
  Loader loader(source_, places_);
  loader.load();
  documents_ = std::move(loader.documents);
  path_rules_ = std::move(loader.path_rules);
  remarks_ = source_.remarks();
  for (std::string& remark : fit(documents_, most_bytes_)) remarks_.push_back(std::move(remark));
}

bool Instructions::refresh() {
  if (!source_.has_changed()) return false;
  source_ = Source(places_.project(), most_bytes_ / 2, withheld_);
  load();
  return true;
}

std::vector<Document> Instructions::nearby(const std::string& below) const {
  std::vector<Document> found;
  if (most_bytes_ == 0) return found;
  const std::string& workspace = places_.workspace();
  if (below.find('/') != std::string::npos) {
    Source source(places_.project(), most_bytes_ / 2, withheld_);
    Loader loader(source, places_);
    for (std::size_t end = below.find('/'); end != std::string::npos;
         end = below.find('/', end + 1))
      loader.load_folder(workspace + "/" + below.substr(0, end));
    found = std::move(loader.documents);
  }
  for (const Document& rule : path_rules_)
    if (is_about(rule, workspace + "/" + below)) found.push_back(rule);
  const auto is_known = [&](const Document& each) {
    return each.file == workspace + "/" + below ||
           std::ranges::find(documents_, each.file, &Document::file) != documents_.end();
  };
  std::erase_if(found, is_known);
  for (Document& each : found)
    each.name = std::filesystem::path(each.file).lexically_relative(workspace).string();
  fit(found, most_bytes_);
  return found;
}

}  // namespace skein::instructions
