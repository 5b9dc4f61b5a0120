// skein models, skein migrate: which models there are, and handing a session to another one.
#include <cstdio>

#include "app/availability.h"
#include "app/home.h"
#include "app/load_config.h"
#include "app/model_refresh.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/context/history.h"
#include "core/handover/compatibility.h"
#include "core/model/payloads.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "providers/catalog/ending.h"
#include "providers/keys.h"
#include "repl/layout/sanitize.h"

namespace skein::verbs {

namespace {

Json price_json(const catalog::Prices& prices) {
  const auto or_null = [](const std::optional<double>& price) {
    return price ? Json(*price) : Json(nullptr);
  };
  return {{"input", or_null(prices.input)},
          {"output", or_null(prices.output)},
          {"cache_read", or_null(prices.cache_read)},
          {"cache_write", or_null(prices.cache_write)}};
}

Json model_json(const app::AvailableModel& model) {
  const catalog::ModelRow& row = model.row;
  Json levels = Json::array(), tiers = Json::array();
  for (std::size_t i = 0; i < model::thinking_levels; ++i)
    if (const auto level = static_cast<model::ThinkingLevel>(i); row.thinks.has(level))
      levels.push_back(model::name(level));
  for (const catalog::Tier& tier : row.tiers)
    if (tier.above > 0)
      tiers.push_back({{"above", tier.above}, {"prices", price_json(tier.prices)}});
  const auto or_null = [](std::string_view text) {
    return text.empty() ? Json(nullptr) : Json(std::string(text));
  };
  return {{"model", model.provider + "/" + model.name},
          {"window", row.window},
          {"max_output", row.max_output},
          {"images", row.images},
          {"thinking", !row.thinks.empty()},
          {"thinking_levels", std::move(levels)},
          {"prices", price_json(row.prices)},
          {"tiers", std::move(tiers)},
          {"ends", or_null(row.ends)},
          {"instead", or_null(row.instead)},
          {"usable", model.usable.now},
          {"why", model.usable.why}};
}

void print_model(const app::AvailableModel& model) {
  const catalog::ModelRow& row = model.row;
  std::string last = catalog::ending_text(row, now_ms());
  if (last.empty() || !model.usable.now) last += (last.empty() ? "" : " · ") + model.usable.why;
  print_line(std::string(model.usable.now ? "* " : "  ") +
             pad(model.provider + "/" + model.name, 36) + "  " +
             pad(app::thousands(row.window), 5) + "  " + pad(app::price_text(row.prices), 20) +
             "  " + pad(row.images ? "images" : "", 6) + "  " + last);
}

// Servers on this machine are asked each time, the others only if that is wanted.
void refresh(const app::Invocation& invocation, catalog::Catalog& catalog, providers::Keyring& keys,
             discovery::ModelCache& cache, const std::string& wanted) {
  const bool all = invocation.has("--refresh");
  const app::Refreshed refreshed = app::refresh_models(
      catalog, keys, cache, model::Ports{}, all ? app::Refresh::all : app::Refresh::local, wanted);
  for (const std::string& name : refreshed.silent)
    if (all)
      std::fprintf(stderr, "skein: %s did not list its models\n", layout::sanitized(name).c_str());
}

}  // namespace

int list_models(const app::Invocation& invocation) {
  catalog::Catalog catalog;
  app::load_config(invocation, app::workspace_folder(invocation), catalog);
  discovery::ModelCache cache(app::models_file(invocation));
  app::use_cache(catalog, cache);
  providers::Keyring keys;
  keys.take_environment(catalog.key_variables());
  const std::string wanted = invocation.arguments.empty() ? "" : invocation.arguments.front();
  refresh(invocation, catalog, keys, cache, wanted);

  Json out = Json::array();
  for (const app::AvailableModel& model : app::available_models(catalog, keys)) {
    if (!wanted.empty() && wanted != model.provider) continue;
    out.push_back(model_json(model));
    if (!invocation.has("--json")) print_model(model);
  }
  if (out.empty())
    throw Error(
        "no models of '" + wanted + "' are known; any name may be tried as " + wanted + "/NAME",
        ExitStatus::usage);
  if (invocation.has("--json")) print_json(dump(out));
  return 0;
}

int migrate_session(const app::Invocation& invocation) {
  catalog::Catalog catalog;
  const config::Config config =
      app::load_config(invocation, app::workspace_folder(invocation), catalog);
  if (!invocation.has("--to")) throw Error("migrate needs --to PROVIDER/MODEL", ExitStatus::usage);
  const model::ModelRef to = catalog.parse(invocation.value("--to"));
  const catalog::ProviderRow* provider = catalog.find_provider(to.provider);

  store::SessionStore store = app::open_store(invocation);
  const store::SessionRecord found = store::value_or_throw(store.find(invocation.arguments.at(0)));
  const store::SessionRecord record = store::value_or_throw(store.open(found.header.session));
  if (!record.state.head) throw Error("session " + record.key + " is empty", ExitStatus::usage);
  std::vector<model::Entry> path;
  for (const store::StoredEntry& placed :
       store::value_or_throw(store.path(record.header.session, *record.state.head)).entries)
    path.push_back(placed.entry);

  handover::Compatibility report;
  if (provider != nullptr)
    report = handover::check_compatibility(context::messages_of(path, record.state.redacted),
                                           catalog.target(to, config.handover));
  const std::string from = record.state.model.empty() ? "unknown" : record.state.model;
  Json out = {{"from", from},
              {"to", model::to_string(to)},
              {"compatible", true},  // normalize() makes any transcript fit
              {"warnings", report.warnings},
              {"lossyFields", report.lossy_fields}};
  if (!invocation.has("--check")) {
    // Going on with another model needs none of this; a copy is for keeping both.
    const store::SessionHandle copy = store::value_or_throw(store.branch_from_entry(
        record.header.session, *record.state.head, invocation.value("--new-key")));
    store::NewEntry change{model::make_entry(model::payload::ModelChange{to.provider, to.model})};
    change.entry.meta = dump(
        {{"migratedFrom", from}, {"migratedTo", model::to_string(to)}, {"migratedAt", now_utc()}});
    store::value_or_throw(store.append_session_entries(copy.session_id, std::span(&change, 1)));
    out["key"] = store::value_or_throw(store.open(copy.session_id)).key;
    out["entries"] = path.size();
  }
  if (invocation.has("--json")) {
    print_json(dump(out));
    return 0;
  }
  for (const std::string& warning : report.warnings) print_line("warning: " + warning);
  if (invocation.has("--check"))
    print_line(report.warnings.empty() ? "nothing would be lost"
                                       : "lossy: " + dump(out["lossyFields"]));
  else
    print_line("Migrated " + counted(path.size(), "entry", "entries") + " from " + from + " to " +
               model::to_string(to) + ": " + string_at(out, "key"));
  return 0;
}

}  // namespace skein::verbs
