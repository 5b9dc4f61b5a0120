#include "core/exchange/importers/zstd.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/exchange/importers/containers.h"
#include "core/exchange/importers/private_copy.h"
#include "core/text/io.h"
#include "core/text/module.h"

namespace skein::exchange::importers {

namespace {

// What went wrong; empty: nothing.
std::string unpack(const ByteSource& source, const ByteSink& sink) {
  static const auto function = reinterpret_cast<UnpackFunction>(
      module_symbol("skein_containers", "container", unpack_symbol));
  std::string problem;
  function(source, sink, problem);
  return problem;
}

}  // namespace

bool is_zstd(std::string_view beginning) { return beginning.starts_with("\x28\xB5\x2F\xFD"); }

std::optional<std::string> unzstd(std::string_view packed, std::size_t most_bytes) {
  std::string out;
  bool too_long = false;
  const std::string problem = unpack(
      [&](std::span<char> buffer) {
        const std::size_t size = std::min(buffer.size(), packed.size());
        std::copy_n(packed.data(), size, buffer.data());
        packed.remove_prefix(size);
        return size;
      },
      [&](std::string_view piece) {
        too_long = piece.size() > most_bytes - out.size();
        if (!too_long) out += piece;
        return !too_long;
      });
  if (too_long || !problem.empty()) return std::nullopt;
  return out;
}

std::variant<Fd, std::string> unzstd_file(int packed, std::uint64_t most_bytes) {
  Fd file = nameless_file();
  if (!file) return " cannot be unpacked: " + std::string(std::strerror(errno));
  std::uint64_t offset = 0, written = 0;
  std::string trouble;
  const std::string problem = unpack(
      [&](std::span<char> buffer) -> std::size_t {
        ssize_t got = 0;
        do got = pread(packed, buffer.data(), buffer.size(), static_cast<off_t>(offset));
        while (got < 0 && errno == EINTR);
        if (got <= 0) return 0;
        offset += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      },
      [&](std::string_view piece) {
        written += piece.size();
        if (written > most_bytes)
          trouble = " is too large: unpacked it has more than " + std::to_string(most_bytes >> 20) +
                    " MiB";
        else if (!write_all(file.get(), piece))
          trouble = " cannot be unpacked: " + std::string(std::strerror(errno));
        return trouble.empty();
      });
  if (!trouble.empty()) return trouble;
  if (!problem.empty()) return " is damaged: " + problem;
  return file;
}

}  // namespace skein::exchange::importers
