#include "core/project/catalogue.h"

#include <algorithm>
#include <optional>
#include <span>

#include "core/text/base.h"
#include "core/text/text.h"

namespace skein::project {

namespace {

constexpr std::size_t short_bytes = 120;

// Every one on a line of its own, its description in at most `bytes`; nothing if that is too much.
std::optional<std::string> lines_with(std::span<const Offered> all, std::size_t bytes,
                                      std::size_t most_bytes) {
  std::string out;
  for (const Offered& each : all) {
    const std::string_view said = utf8_prefix(each.description, bytes);
    out += "- " + std::string(each.name);
    if (!said.empty()) out += ": " + std::string(said);
    if (!said.empty() && said.size() < each.description.size()) out += "…";
    out += '\n';
    if (out.size() > most_bytes) return std::nullopt;
  }
  return out;
}

// As many names as there is room for.
std::string names_within(std::span<const Offered> all, std::size_t most_bytes) {
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (out.size() + all[i].name.size() > most_bytes)
      return out + "- and " + with_separators(all.size() - i) + " more\n";
    out += "- " + std::string(all[i].name) + "\n";
  }
  return out;
}

}  // namespace

std::string catalogue(std::string_view opening, std::vector<Offered> offered,
                      std::size_t most_bytes) {
  if (offered.empty()) return {};
  if (!std::ranges::is_sorted(offered, {}, &Offered::name))
    std::ranges::sort(offered, {}, &Offered::name);
  for (const std::size_t bytes : {std::string_view::npos, short_bytes})
    if (const auto lines = lines_with(offered, bytes, most_bytes))
      return std::string(opening) + *lines;
  return std::string(opening) + names_within(offered, most_bytes);
}

}  // namespace skein::project
