// The parts of skein that are loaded when they are first needed: whether they are there, load, and
// were built with this skein.
#include "app/doctor/checks.h"
#include "core/text/json.h"
#include "core/text/module.h"
#include "core/text/text.h"

namespace skein::doctor {

Finding look_at_modules(const Surroundings&) {
  constexpr std::pair<const char*, const char*> modules[] = {
      {"skein_http", "network"}, {"skein_containers", "container"}, {"skein_postgres", "database"}};
  Finding found;
  std::vector<std::string> fitting;
  Json all = Json::array();
  for (const auto& [name, purpose] : modules) {
    std::string trouble;
    try {
      module_symbol(name, purpose, module_version_symbol);
      fitting.emplace_back(name);
    } catch (const Error& error) {
      trouble = error.what();
      found.problems.push_back(trouble);
    }
    all.push_back({{"module", name},
                   {"fits", trouble.empty()},
                   {"trouble", trouble.empty() ? Json(nullptr) : Json(trouble)}});
  }
  found.note =
      fitting.empty() ? "none fits" : listed(fitting) + " " SKEIN_VERSION ", as skein itself";
  found.facts = dump({{"version", SKEIN_VERSION}, {"modules", std::move(all)}});
  return found;
}

}  // namespace skein::doctor
