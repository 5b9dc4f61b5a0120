// Who has a key, and where it would come from. Values are never shown, key commands never run.
#include <algorithm>

#include "app/doctor/checks.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "providers/request.h"

namespace skein::doctor {

namespace {

bool wants_key(const catalog::ProviderRow& row) {
  return row.key_needed && !row.local && row.auth != catalog::Auth::none;
}

// "ANTHROPIC_API_KEY", "key command"; empty: there is none.
std::string key_source(const catalog::ProviderRow& row, const providers::Keyring& keys) {
  for (const std::string& variable : providers::variables_of(row))
    if (keys.has_any({variable})) return variable;
  return row.key_command.empty() ? "" : "key command";
}

// The model the configuration or a flag asks for, without what it needs.
std::string chosen_without_key(const Surroundings& here) {
  if (here.config.model.empty()) return {};
  const std::string_view name = here.config.model;
  try {
    const model::ModelRef ref = here.catalog.parse(name);
    const catalog::ProviderRow* row = here.catalog.find_provider(ref.provider);
    if (row == nullptr || !wants_key(*row) || !key_source(*row, here.keys).empty()) return {};
    return "the model is " + model::to_string(ref) +
           ", and there is no key for it: " + providers::how_to_give_key(*row);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

Finding look_at_keys(const Surroundings& here) {
  Finding found;
  std::vector<std::pair<std::string, std::vector<std::string>>> sources;  // with whom each is for
  for (const catalog::ProviderRow& row : here.catalog.providers()) {
    const std::string name(row.name), source = key_source(row, here.keys);
    if (source.empty()) {
      if (wants_key(row)) found.details.push_back(name + ": " + providers::how_to_give_key(row));
      continue;
    }
    auto known = std::ranges::find(sources, source, [](const auto& each) { return each.first; });
    if (known == sources.end()) known = sources.insert(known, {source, {}});
    known->second.push_back(name);
  }
  Json facts = Json::array();
  for (const auto& [source, names] : sources) {
    found.note += (found.note.empty() ? "" : ", ") + source + " (" + listed(names) + ")";
    facts.push_back({{"source", source}, {"providers", names}});
  }
  if (sources.empty())
    found.note = "none; offline/demo needs none, /login in skein says how to give one";
  if (std::string lacking = chosen_without_key(here); !lacking.empty())
    found.problems.push_back(std::move(lacking));
  found.facts = dump({{"keys", std::move(facts)}});
  return found;
}

}  // namespace skein::doctor
