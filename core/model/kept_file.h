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

enum class FileKind { file, link };

// What a restore makes of a file.
struct Becomes {
  std::uint32_t mode = 0;
  std::optional<std::string> hash{};  // none: it is removed
  FileKind kind = FileKind::file;
  bool operator==(const Becomes&) const = default;
};

struct KeptFile {
  std::string path{};      // below the workspace, the bytes as they are
  std::uint32_t mode = 0;  // permission bits
  // The blob that holds what was in it, or where the link leads. Empty: it was there, but its
  // contents were not kept. None: there was no such file.
  std::optional<std::string> hash{};
  std::uint64_t size = 0;
  FileKind kind = FileKind::file;
  bool committed = false;       // `hash` is empty, and the contents are those in the commit
  std::int64_t changed_ns = 0;  // of contents that were not kept: when they changed; 0: not known
  std::optional<Becomes> becomes{};  // a restore follows

  bool exists() const { return hash.has_value(); }
  bool contents_kept() const { return hash && !hash->empty(); }
  bool operator==(const KeptFile&) const = default;
};

// [[path, mode, hash | null, size, {…}?], …], as FORMAT.md says
JsonText files_json(std::span<const KeptFile> files);
// nullopt: it is no such list. Rows that are none are left out.
std::optional<std::vector<KeptFile>> files_from_json(std::string_view json);

// A name may hold any bytes, JSON cannot: what is no UTF-8, and every backslash, becomes \xNN.
std::string escaped_path(std::string_view path);
std::string unescaped_path(std::string_view text);

}  // namespace skein::model
