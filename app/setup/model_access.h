// The models an invocation can ask: which there are, what is known of each, and who answers for it.
#pragma once

#include "app/config/config.h"
#include "app/invocation/cli.h"
#include "core/agent/turn.h"
#include "core/model/event.h"
#include "core/model/provider.h"
#include "providers/catalog/catalog.h"
#include "providers/catalog/known_windows.h"
#include "providers/detect.h"
#include "providers/discovery/model_cache.h"
#include "providers/keys.h"
#include "repl/screen/turn_view.h"
#include "repl/session/services.h"

namespace skein::app {

// Which models can be used now, and what the others lack.
struct Usable {
  bool now = false;
  std::string why{};
};

struct AvailableModel {
  std::string provider, name;
  catalog::ModelRow row;
  Usable usable;
};

// Every model of the catalog, and what services were last heard to have besides, the built-in one
// first. No service is asked; which servers of this machine listen is looked at.
std::vector<AvailableModel> available_models(const catalog::Catalog& catalog,
                                             const providers::Keyring& keys);

std::string thousands(std::int64_t tokens);              // 200000 → 200k
std::string price_text(const catalog::Prices& prices);   // $3 in, $15 out
std::string short_price(const catalog::Prices& prices);  // $3/$15; empty: not known

// What a user who asks for this model should know: that it has ended, and what its thinking is.
std::vector<std::string> remarks_on(const catalog::Catalog& catalog, const model::ModelRef& model);

// Takes the keys of the environment, and opens the store of `skein login`.
providers::Keyring gathered_keys(const catalog::Catalog& catalog);
// Which providers have a key, and how to give one.
std::string login_text(const catalog::Catalog& catalog, const providers::Keyring& keys);
// Checks a key and stores it. Returns what the user should know; throws Error if it is refused.
std::string log_in(const catalog::ProviderRow& row, const std::string& key,
                   providers::Keyring& keys, const model::Ports& ports);
std::string log_out(const catalog::ProviderRow& row, const providers::Keyring& keys);

// Lets the catalog know what services said before; `cache` must outlive it. Reads nothing yet.
void use_cache(catalog::Catalog& catalog, discovery::ModelCache& cache);

enum class Refresh {
  stale,  // servers on this machine, and those whose key is at hand and whose copy is a day old
  local,  // servers on this machine
  all,    // everyone there is a key for, also if a command must be run for it
};
struct Refreshed {
  bool changed = false;
  std::vector<std::string> silent{};  // who did not answer
};
Refreshed refresh_models(catalog::Catalog& catalog, providers::Keyring& keys,
                         discovery::ModelCache& cache, const model::Ports& ports, Refresh which,
                         std::string_view only = {});

// The catalog must outlive it. What the catalog learns later is not seen.
insights::Prices call_cost(const catalog::Catalog& catalog);

class ModelAccess : public session::Models {
 public:
  // `config` may still change. What services have said of their models is added to the catalog.
  ModelAccess(const Invocation& invocation, const config::Config& config, catalog::Catalog& catalog,
              providers::Keyring keys);
  ModelAccess(const ModelAccess&) = delete;
  ModelAccess& operator=(const ModelAccess&) = delete;

  const providers::Keyring& keys() const { return keys_; }

  // The model of the configuration, else the first of a provider a key is there for, else the one
  // that is built in.
  std::string first_name() const;
  std::string default_name() const;   // the same without the configuration
  std::string built_in_name() const;  // needs no key
  std::int64_t first_window() const;  // 0: not known
  // The model another program used may have no provider or no key here, or be gone.
  bool can_be_asked(const std::string& model) const;

  model::Provider& provider_for(const model::ModelRef& model);
  agent::ModelLimits limits_of(const model::ModelRef& model);
  void learn(const model::ModelRef& model, const agent::ModelLimits& limits);
  std::vector<model::ModelRef> fallbacks_of(const model::ModelRef& model) const;
  std::optional<double> cost(const model::SessionState& session) const;  // dollars
  void account(screen::TurnSummary& turn) const;  // adds its cost and the window

  std::vector<pick::ModelLine> lines() override;
  bool refresh(const model::Ports& ports) override;
  model::ModelRef parse(std::string_view name) const override { return catalog_.parse(name); }
  std::vector<std::string> remarks(const model::ModelRef& model) const override;
  handover::Target target(const model::ModelRef& model) const override {
    return catalog_.target(model);
  }
  std::string clean(std::string text) const override;
  Sink masking(Sink sink) const override;
  insights::Prices prices() const override { return call_cost(catalog_); }
  std::string handle_key(session::KeyStep step, std::string_view provider,
                         const std::string& key) override;

 private:
  bool has_key(const catalog::ProviderRow& row) const;
  std::string place_of(const model::ModelRef& model) const;
  bool ask_server_here(const model::ModelRef& model);

  const config::Config& config_;
  catalog::Catalog& catalog_;
  providers::Keyring keys_;
  catalog::KnownWindows windows_;
  discovery::ModelCache cache_;
  std::map<std::string, std::int64_t> asked_{};  // when each server of this machine was, in ms
  std::map<std::string, std::unique_ptr<model::Provider>> providers_{};
};

}  // namespace skein::app
