// skein models, login, logout, migrate: which models there are, the keys to them, and handing a
// session to another one.
#include <unistd.h>

#include <iostream>

#include "app/invocation/signals.h"
#include "app/setup/home.h"
#include "app/setup/load_config.h"
#include "app/setup/model_access.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/context/history.h"
#include "core/handover/compatibility.h"
#include "core/model/payloads.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "providers/catalog/catalog.h"
#include "providers/keys.h"
#include "repl/pick/ask.h"

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

std::string line_of(const app::AvailableModel& model) {
  const catalog::ModelRow& row = model.row;
  std::string last = catalog::ending_text(row, now_ms());
  if (last.empty() || !model.usable.now) last += (last.empty() ? "" : " · ") + model.usable.why;
  return std::string(model.usable.now ? "* " : "  ") + pad(model.provider + "/" + model.name, 36) +
         "  " + pad(app::thousands(row.window), 5) + "  " + pad(app::price_text(row.prices), 20) +
         "  " + pad(row.images ? "images" : "", 6) + "  " + last;
}

// Servers on this machine are asked each time, the others only if that is wanted.
void refresh(const Invocation& invocation, catalog::Catalog& catalog, providers::Keyring& keys,
             discovery::ModelCache& cache, const std::string& wanted) {
  const bool all = invocation.has("--refresh");
  const app::Refreshed refreshed = app::refresh_models(
      catalog, keys, cache, model::Ports{}, all ? app::Refresh::all : app::Refresh::local, wanted);
  for (const std::string& name : refreshed.silent)
    if (all) tell_user(name + " did not list its models");
}

// Typed at a terminal without being shown, or the first line of standard input.
std::string read_key(const std::string& provider) {
  if (!isatty(STDIN_FILENO)) {
    std::string line;
    std::getline(std::cin, line);
    return std::string(trimmed(line));
  }
  if (!isatty(STDERR_FILENO))
    throw UsageError("login needs a terminal, or the key on standard input");
  app::catch_signals();
  terminal::Terminal terminal(STDIN_FILENO, STDERR_FILENO);
  terminal::Keyboard keyboard(terminal, [] { return app::leave_asked().load(); });
  return std::string(trimmed(pick::ask_secret(keyboard, "key of " + provider + ": ").value_or("")));
}

// What `login` and `logout` need.
struct Keys {
  explicit Keys(const Invocation& invocation) {
    app::load_config(invocation, app::workspace_folder(invocation), catalog);
    keys = app::gathered_keys(catalog);
    if (!invocation.arguments.empty() && !invocation.base_url.empty())
      catalog.move_provider(invocation.arguments.front(), invocation.base_url);
  }
  const catalog::ProviderRow& row(const std::string& name) const {
    if (const catalog::ProviderRow* found = catalog.find_provider(name)) return *found;
    throw UsageError("there is no provider " + name + "; `skein login` lists them");
  }

  catalog::Catalog catalog{};
  providers::Keyring keys{};
};

}  // namespace

void login(const Invocation& invocation) {
  Keys known(invocation);
  if (invocation.arguments.empty())
    return print_styled(layout::sanitized(app::login_text(known.catalog, known.keys)));
  const catalog::ProviderRow& row = known.row(invocation.arguments.front());
  const std::string key = read_key(std::string(row.name));
  tell_user(trimmed(app::log_in(row, key, known.keys, model::Ports{.stop = &app::stop_asked()})));
}

// For programs that drive skein, which ask before they start it.
void auth_status(const Invocation& invocation) {
  catalog::Catalog catalog;
  const config::Config config =
      app::load_config(invocation, app::workspace_folder(invocation), catalog);
  const app::ModelAccess models(invocation, config, catalog, app::gathered_keys(catalog));
  const std::string name = model::to_string(catalog.parse(models.first_name()));
  const bool chosen = !config.model.empty() || models.first_name() != models.built_in_name();
  const bool usable = chosen && models.can_be_asked(name);
  if (invocation.has("--json"))
    print_line(dump({{"loggedIn", usable},
                     {"authMethod", usable ? "api_key" : "none"},
                     {"apiProvider", name.substr(0, name.find('/'))},
                     {"model", name}}));
  else
    print_line(usable ? "skein can use " + name
                      : "there is no key for a model; `skein login` shows how to give one");
}

void logout(const Invocation& invocation) {
  const Keys known(invocation);
  tell_user(trimmed(app::log_out(known.row(invocation.arguments.front()), known.keys)));
}

void list_models(const Invocation& invocation) {
  catalog::Catalog catalog;
  app::load_config(invocation, app::workspace_folder(invocation), catalog);
  discovery::ModelCache cache(app::models_file(invocation));
  app::use_cache(catalog, cache);
  providers::Keyring keys = app::gathered_keys(catalog);
  const std::string wanted = invocation.arguments.empty() ? "" : invocation.arguments.front();
  refresh(invocation, catalog, keys, cache, wanted);

  ListPrinter out(invocation);
  for (const app::AvailableModel& model : app::available_models(catalog, keys))
    if (wanted.empty() || wanted == model.provider)
      out.add(dump(model_json(model)), line_of(model));
  if (out.empty())
    throw UsageError("no models of '" + wanted + "' are known; try any name as " + wanted +
                     "/NAME");
  out.end();
}

void migrate_session(const Invocation& invocation) {
  catalog::Catalog catalog;
  const config::Config config =
      app::load_config(invocation, app::workspace_folder(invocation), catalog);
  if (!invocation.has("--to")) throw UsageError("migrate needs --to PROVIDER/MODEL");
  const model::ModelRef to = catalog.parse(invocation.value("--to"));
  const catalog::ProviderRow* provider = catalog.find_provider(to.provider);

  auto [store, record, session] = open_session(invocation);
  if (!record.state.head) throw UsageError("session " + record.key + " is empty");
  std::vector<model::Entry> path;
  for (const store::StoredEntry& placed :
       store::value_or_throw(store.path(session, *record.state.head)).entries)
    path.push_back(placed.entry);

  handover::Compatibility report;
  if (provider != nullptr)
    report = handover::check_compatibility(context::messages_of(path, record.state.redacted),
                                           catalog.target(to));
  const std::string from = record.state.model.empty() ? "unknown" : record.state.model;
  Json out = {{"from", from},
              {"to", model::to_string(to)},
              {"compatible", true},  // normalize() makes any transcript fit
              {"warnings", report.warnings},
              {"lossyFields", report.lossy_fields}};
  if (!invocation.has("--check")) {
    // Going on with another model needs none of this; a copy is for keeping both.
    const store::SessionHandle copy = store::value_or_throw(
        store.branch_from_entry(session, *record.state.head, invocation.value("--new-key")));
    store::NewEntry change{model::make_entry(model::payload::ModelChange{to.provider, to.model})};
    change.entry.meta = dump(
        {{"migratedFrom", from}, {"migratedTo", model::to_string(to)}, {"migratedAt", now_utc()}});
    store::value_or_throw(store.append_session_entries(copy.session_id, std::span(&change, 1)));
    out["key"] = store.open(copy.session_id).key;
    out["entries"] = path.size();
  }
  if (invocation.has("--json")) return print_json(dump(out));
  for (const std::string& warning : report.warnings) print_line("warning: " + warning);
  if (invocation.has("--check"))
    print_line(report.warnings.empty() ? "nothing would be lost"
                                       : "lossy: " + dump(out["lossyFields"]));
  else
    print_line("Migrated " + counted(path.size(), "entry", "entries") + " from " + from + " to " +
               model::to_string(to) + ": " + string_at(out, "key"));
}

}  // namespace skein::verbs
