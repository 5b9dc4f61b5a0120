// Who serves models, and what is known about the models: two tables of rows, and the rows a
// configuration adds to them.
#pragma once

#include "core/handover/target.h"
#include "core/model/provider.h"
#include "providers/catalog/row_types.h"
#include "providers/wire/codecs.h"

namespace skein::catalog {

// What a service itself says of one of its models. It outweighs the built-in row and is outweighed
// by the configuration; whatever it does not say stays as it was.
struct ServiceModel {
  std::string name;
  std::int64_t window = 0;      // tokens; 0: not known
  std::int64_t max_output = 0;  // tokens; 0: not known
  std::optional<bool> images{};
  std::optional<double> input{}, output{}, cache_read{};  // dollars per million tokens
  std::string ends{};                                     // 2026-11-30
  bool operator==(const ServiceModel&) const = default;
};

using model::Cost;

// nullopt: there were tokens of a kind whose price is not known.
std::optional<double> cost_usd(const model::Usage& usage, const Prices& prices);
std::optional<Cost> cost_of(const model::Usage& usage, const ModelRow& row);

class Catalog {
 public:
  Catalog();
  Catalog(const Catalog&) = delete;  // rows of a configuration point into `texts_`
  Catalog& operator=(const Catalog&) = delete;

  // Those with a server.
  const std::vector<ProviderRow>& providers() const { return providers_; }
  const std::vector<ModelRow>& models() const { return models_; }

  // A row of the same name is replaced. What the texts point to is copied.
  void add(const ProviderRow& row);
  void add(const ModelRow& row);
  // --base-url: from now on this provider is somewhere else, and may do without a key there.
  void move_provider(std::string_view provider, std::string_view base_url);
  void add_alias(std::string alias, std::string meaning) { aliases_[std::move(alias)] = meaning; }
  const std::map<std::string, std::string, std::less<>>& aliases() const { return aliases_; }

  const ProviderRow* find_provider(std::string_view name) const;  // null: unknown, or built in
  const BuiltInRow* find_built_in(std::string_view name) const;
  // What works without any key.
  const BuiltInRow& fallback() const;
  // A row of that model, else what its nearest relatives have, else cautious values.
  ModelRow find_model(const model::ModelRef& ref) const;
  // What services say of their models: `ask` is called once for each, when it is first needed.
  using AskService = std::function<std::vector<ServiceModel>(const ProviderRow&)>;
  void ask_for_service_models(AskService ask) { ask_service_ = std::move(ask); }
  void learn(std::string_view provider, std::vector<ServiceModel> models);
  const std::vector<ServiceModel>& served(const ProviderRow& row) const;
  bool has_row(const model::ModelRef& ref) const { return find_row(ref) != nullptr; }
  // Of a family the rows of its service have.
  bool is_relative(const model::ModelRef& ref) const { return find_relative(ref) != nullptr; }
  // Null: it is not known to have ended.
  const RetiredRow* find_retired(const model::ModelRef& ref) const;
  // The rules for handing a conversation to it.
  handover::Target target(const model::ModelRef& ref) const;
  // For one model (provider/model) and for all of a session, at least what has a price; nullopt: no
  // price is known, or nothing was used at all.
  std::optional<Cost> cost(std::string_view model, const model::Usage& usage) const;
  std::optional<Cost> cost(const std::map<std::string, model::Usage>& usage) const;

  // "provider/model", an alias, the bare name of a model in the table, or the word for a family:
  // its newest model. Throws if it is none.
  model::ModelRef parse(std::string_view text) const;
  // Of a family the services come first for which `usable` is true.
  void prefer(std::function<bool(const ProviderRow&)> usable) { usable_ = std::move(usable); }

  // Every variable that may hold a key.
  std::vector<std::string> key_variables() const;

 private:
  std::string_view keep(std::string_view text) const;
  ModelRow row_or_guess(const model::ModelRef& ref) const;
  const ModelRow* find_row(const model::ModelRef& ref) const;
  const ModelRow* find_relative(const model::ModelRef& ref) const;
  std::string_view home_of(std::string_view provider) const;
  std::string_view alias_of(const ProviderRow& row, std::string_view model) const;
  std::optional<model::ModelRef> newest_of(std::string_view family) const;
  const ModelRow* newest_of(std::string_view family, std::string_view provider) const;
  std::string nearest_name(std::string_view text) const;

  mutable std::set<std::string, std::less<>> texts_{};  // stay where they are
  std::vector<ProviderRow> providers_{};
  std::vector<ModelRow> models_{};
  std::map<std::string, std::string, std::less<>> aliases_{};
  AskService ask_service_{};
  std::function<bool(const ProviderRow&)> usable_{};
  // Sorted by name, as a service may list thousands.
  mutable std::map<std::string, std::vector<ServiceModel>, std::less<>> served_{};
};

// Where requests go: the row's variable, else the row's own address; with a scheme, without a final
// slash or /v1.
std::string base_url(const ProviderRow& row);

// The row in effect for one model: some services speak two formats.
ProviderRow routed(const ProviderRow& row, std::string_view model);

// What the handover and the codecs want to know of a model; `provider` is routed.
handover::Target target_of(const ProviderRow& provider, const ModelRow& model,
                           const model::ModelRef& ref);
wire::ModelFacts facts_of(const ProviderRow& provider, const ModelRow& model,
                          const model::ModelRef& ref);

// When a model's service stops it, as a sentence for the user.
// Whole days from `now` (ms since 1970) to the day `date` (2026-11-30) in UTC; negative: it is
// past.
std::optional<std::int64_t> days_until(std::string_view date, std::int64_t now);

// "ends in 15 days, then claude-sonnet-5-5"; empty: no end is known.
std::string ending_text(const ModelRow& row, std::int64_t now);
std::string ending_text(const RetiredRow& row);

// The sentence about a model that has ended, by any source; empty: it has not, as far as is known.
std::string ended_text(const Catalog& catalog, const model::ModelRef& ref, std::int64_t now);

}  // namespace skein::catalog
