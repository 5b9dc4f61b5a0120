#include "app/availability.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "core/text/amounts.h"
#include "providers/catalog/ending.h"
#include "providers/request.h"

namespace skein::app {

Usable usable_now(const catalog::ProviderRow& row, const providers::Keyring& keys,
                  const std::vector<providers::LocalServer>& servers) {
  for (const providers::LocalServer& server : servers)
    if (server.provider == row.name)
      return {true, "running, " + counted(server.models.size(), "model")};
  if (row.local) return {false, "no server at " + catalog::base_url(row)};
  if (keys.has_any(providers::variables_of(row))) return {true, "key found"};
  if (!row.key_command.empty()) return {true, "key command"};
  if (!row.key_needed) return {true, "needs no key"};
  return {false, providers::how_to_give_key(row)};
}

namespace {

// Lists of everything a service has also name what cannot hold a conversation.
bool is_for_text(std::string_view name) {
  constexpr std::string_view others[] = {"-tts",     "-image",     "-audio",       "-live",
                                         "realtime", "transcribe", "computer-use", "robotics"};
  return std::ranges::none_of(
      others, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// What a service lists that the table does not have: all of it where the table has nothing.
bool is_news(const catalog::Catalog& catalog, const model::ModelRef& ref, bool has_rows) {
  if (!has_rows) return true;
  return !catalog.has_row(ref) && catalog.is_relative(ref) &&
         catalog.find_retired(ref) == nullptr && is_for_text(ref.model);
}

std::vector<providers::LocalServer> servers_here(const catalog::Catalog& catalog) {
  std::vector<providers::LocalServer> servers = providers::listening_servers(catalog);
  for (providers::LocalServer& server : servers)
    for (const catalog::ServiceModel& model :
         catalog.served(*catalog.find_provider(server.provider)))
      server.models.push_back(model.name);
  return servers;
}

}  // namespace

std::vector<AvailableModel> available_models(const catalog::Catalog& catalog,
                                             const providers::Keyring& keys) {
  const std::vector<providers::LocalServer> servers = servers_here(catalog);
  const catalog::BuiltInRow& own = catalog.fallback();
  std::vector<AvailableModel> out{{std::string(own.name),
                                   std::string(own.model),
                                   {.provider = own.name, .name = own.model},
                                   {true, std::string(own.note)}}};
  for (const catalog::ProviderRow& provider : catalog.providers()) {
    const std::string name(provider.name);
    const Usable usable = usable_now(provider, keys, servers);
    const std::size_t before = out.size();
    for (const catalog::ModelRow& row : catalog.models())
      if (row.provider == provider.name)
        out.push_back({name, std::string(row.name),
                       catalog.find_model({name, std::string(row.name)}), usable});
    const bool has_rows = out.size() > before;
    if (usable.now || !provider.local)
      for (const catalog::ServiceModel& model : catalog.served(provider))
        if (is_news(catalog, {name, model.name}, has_rows))
          out.push_back({name, model.name, catalog.find_model({name, model.name}), usable});
    // A service whose models are not known takes any name.
    if (out.size() == before && !provider.local) out.push_back({name, "NAME", {}, usable});
  }
  return out;
}

std::string thousands(std::int64_t tokens) {
  if (tokens == 0) return "-";
  // Windows of 1,048,576 are called a million.
  if (tokens >= 1'000'000 && tokens % 1'000'000 < 100'000)
    return std::to_string(tokens / 1'000'000) + "M";
  return tokens % 1000 == 0 || tokens >= 10'000 ? std::to_string(tokens / 1000) + "k"
                                                : std::to_string(tokens);
}

std::string price_text(const catalog::Prices& prices) {
  if (!prices.input || !prices.output) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "$%g in, $%g out", *prices.input, *prices.output);
  return text;
}

std::string short_price(const catalog::Prices& prices) {
  if (!prices.input || !prices.output) return {};
  if (*prices.input == 0 && *prices.output == 0) return "free";
  char text[64];
  std::snprintf(text, sizeof text, "$%g/$%g", *prices.input, *prices.output);
  return text;
}

std::string tier_text(const catalog::ModelRow& row) {
  const catalog::Tier& tier = row.tiers[0];
  return tier.above == 0 ? std::string{}
                         : price_text(tier.prices) + " above " + thousands(tier.above);
}

std::string levels_text(model::ThinkingLevels levels) {
  std::string out;
  for (std::size_t i = 0; i < model::thinking_levels; ++i)
    if (const auto level = static_cast<model::ThinkingLevel>(i); levels.has(level))
      (out += out.empty() ? "" : ", ") += model::name(level);
  return out;
}

std::vector<std::string> remarks_on(const catalog::Catalog& catalog, const model::ModelRef& model) {
  std::vector<std::string> out;
  if (std::string ended = catalog::ended_text(catalog, model, now_ms()); !ended.empty())
    out.push_back(std::move(ended));
  // Of a model nobody knows, what it takes is only guessed.
  if (model.thinking == model::ThinkingLevel::off ||
      !(catalog.has_row(model) || catalog.is_relative(model)))
    return out;
  const catalog::ModelRow row = catalog.find_model(model);
  const model::ThinkingLevel sent = model::nearest(model.thinking, row.thinks);
  const std::string wanted(model::name(model.thinking));
  if (row.thinks.empty())
    out.push_back(model.model + " cannot be told how much to think; " + wanted + " is left out");
  else if (sent != model.thinking)
    out.push_back(model.model + " does not take thinking " + wanted + "; " +
                  std::string(model::name(sent)) + " is used (it takes " + levels_text(row.thinks) +
                  ")");
  return out;
}

}  // namespace skein::app
