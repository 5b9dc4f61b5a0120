// One file of the workspace as a checkpoint has it, and how lists of them are written down.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/base.h"

namespace skein::model {

struct KeptFile {
  std::string path{};      // below the workspace, the bytes as they are
  std::uint32_t mode = 0;  // permission bits
  // The blob that holds what was in it. Empty: it was there, but its contents were not kept. None:
  // there was no such file.
  std::optional<std::string> hash{};
  std::uint64_t size = 0;

  bool exists() const { return hash.has_value(); }
  bool contents_kept() const { return hash && !hash->empty(); }
  bool operator==(const KeptFile&) const = default;
};

// [[path, mode, hash | null, size], …]
JsonText files_json(std::span<const KeptFile> files);
// nullopt: it is no such list. Rows that are none are left out.
std::optional<std::vector<KeptFile>> files_from_json(std::string_view json);

// A name may hold any bytes, JSON cannot: what is no UTF-8, and every backslash, becomes \xNN.
std::string escaped_path(std::string_view path);
std::string unescaped_path(std::string_view text);

}  // namespace skein::model
