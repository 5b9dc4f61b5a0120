// The models an invocation can ask: which there are, what is known of each, and who answers for it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/config/config.h"
#include "core/agent/parts.h"
#include "core/model/event.h"
#include "core/model/provider.h"
#include "providers/catalog/catalog.h"
#include "providers/catalog/known_windows.h"
#include "providers/discovery/model_cache.h"
#include "providers/keys.h"
#include "repl/screen/turn_summary.h"
#include "repl/session/services.h"

namespace skein::app {

class ModelAccess {
 public:
  // `config` need not be read yet: that takes the catalog.
  ModelAccess(const Invocation& invocation, const config::Config& config);
  ModelAccess(const ModelAccess&) = delete;
  ModelAccess& operator=(const ModelAccess&) = delete;

  catalog::Catalog& catalog() { return catalog_; }
  const catalog::Catalog& catalog() const { return catalog_; }
  providers::Keyring& keys() { return keys_; }
  const providers::Keyring& keys() const { return keys_; }
  void use_cache();  // what services have said of their models

  // The model of the configuration, else the first of a provider a key is there for, else the one
  // that is built in.
  std::string first_name() const;
  std::string default_name() const;   // the same without the configuration
  std::string built_in_name() const;  // needs no key
  std::int64_t first_window() const;  // 0: not known
  // The model another program used may be nobody's here, have no key, or be gone.
  bool can_be_asked(const std::string& model) const;

  model::Provider& provider_for(const model::ModelRef& model);
  agent::ModelLimits limits_of(const model::ModelRef& model);
  void learn(const model::ModelRef& model, const agent::ModelLimits& limits);
  std::vector<model::ModelRef> fallbacks_of(const model::ModelRef& model) const;
  handover::Target target(const model::ModelRef& model) const;
  std::optional<double> cost(const model::SessionState& session) const;  // dollars
  void account(screen::TurnSummary& turn) const;  // adds its cost and the window

  std::string clean(std::string text) const;  // masks every key in it
  // Shows events to `sink` with every key in them masked.
  std::function<void(const model::Event&)> masking(
      std::function<void(const model::Event&)> sink) const;
  void offer(session::Services& services);

 private:
  bool has_key(const catalog::ProviderRow& row) const;
  std::string place_of(const model::ModelRef& model) const;
  bool ask_server_here(const model::ModelRef& model);

  const config::Config& config_;
  catalog::Catalog catalog_{};
  providers::Keyring keys_{};
  catalog::KnownWindows windows_;
  discovery::ModelCache cache_;
  std::map<std::string, std::int64_t> asked_{};  // when each server of this machine was, in ms
  std::map<std::string, std::unique_ptr<model::Provider>> providers_{};
};

}  // namespace skein::app
