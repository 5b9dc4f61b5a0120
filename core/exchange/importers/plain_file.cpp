#include "core/exchange/importers/plain_file.h"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "core/exchange/importers/source_file.h"

namespace skein::exchange::importers {

namespace fs = std::filesystem;

std::optional<std::string> read_plain_file(const std::string& folder, const std::string& name) {
  constexpr std::uint64_t most = std::uint64_t{64} << 20;
  if (folder.empty() || name.empty() || name.find('/') != std::string::npos) return std::nullopt;
  const std::string path = folder + "/" + name;
  std::error_code failed;
  // Neither the file nor the folder it lies in may lead to somewhere else.
  if (fs::symlink_status(folder, failed).type() != fs::file_type::directory) return std::nullopt;
  if (fs::symlink_status(path, failed).type() != fs::file_type::regular) return std::nullopt;
  auto file = SourceFile::open(path);
  const auto* const source = std::get_if<SourceFile>(&file);
  if (source == nullptr || source->size() > most) return std::nullopt;
  return source->read(0, static_cast<std::size_t>(source->size()));
}

}  // namespace skein::exchange::importers
