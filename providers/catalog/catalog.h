// Who serves models, and what is known about the models: two tables, and the rows a configuration
// adds to them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/handover/target.h"
#include "core/model/provider.h"
#include "providers/catalog/service_model.h"
#include "providers/catalog/version.h"
#include "providers/wire/codecs.h"

namespace skein::catalog {

// How a service lists its models.
enum class Listing { openai, anthropic, google, ollama, llamacpp, lmstudio };

enum class Auth { none, bearer, x_api_key, x_goog_api_key };

// Models of a family that are spoken to by the Responses API although their service also has the
// older one: from a version on, and those whose name has no number.
struct ResponsesRule {
  std::string_view family{};  // empty: none
  Version since{};
};

struct ProviderRow {
  std::string_view name;
  handover::WireFormat wire = handover::WireFormat::openai_chat;
  std::string_view base_url{};       // without the version
  std::string_view version = "/v1";  // what follows it in every address
  std::array<std::string_view, 2> key_variables{};
  std::string_view base_url_variable{};
  Auth auth = Auth::bearer;
  bool key_needed = true;                            // else it is sent if there is one
  bool local = false;                                // on this machine
  std::string_view max_tokens_field = "max_tokens";  // chat
  bool stream_usage = true;                          // chat: knows stream_options
  std::string_view key_command{};
  bool allow_http = false;  // its key may go in clear to another machine
  Listing listing = Listing::openai;
  ResponsesRule responses{};
  std::string_view home{};                // whose models these are; empty: its own
  std::optional<handover::IdRule> ids{};  // where the wire's usual rule is too lax
  std::string_view bridge_text{};         // said between results and the user's words
  bool betas = false;                     // knows Anthropic's beta headers, wherever it is
};

// A provider inside skein: it needs no key and no network.
struct BuiltInRow {
  std::string_view name;
  std::string_view model{};  // the one that is offered; empty: none, a model is whatever file it is
  std::string_view note{};
  bool free = false;
  bool summarizes = true;
  bool one_for_each_model = false;
  std::unique_ptr<model::Provider> (*make)(const std::string& model) = nullptr;
};

// Dollars per million tokens. What is not known is not guessed; cached tokens without a price of
// their own cost what input costs.
struct Prices {
  std::optional<double> input{}, output{}, cache_read{}, cache_write{};
};

// What a call costs whose whole input is longer than `above` tokens.
struct Tier {
  std::int64_t above = 0;  // 0: there is none
  Prices prices{};
};

struct ModelRow {
  std::string_view provider;
  std::string_view name;  // also stands for its dated versions, name-20…
  std::int64_t window = 0;
  std::int64_t max_output = 0;  // 0: not known, and left out of requests where it may be
  model::ThinkingLevels thinks{};
  bool images = false;
  Prices prices{};
  std::array<Tier, 2> tiers{};      // by length, the shortest first
  std::string_view thinking_off{};  // how thinking is switched off, where silence does not do it
  std::string_view ends{};     // the day its service stops it, 2026-11-30; empty: none is known
  std::string_view instead{};  // what its service offers then
  std::string_view provider_alias{};  // another provider that is the same service, spoken to alike
  bool known = true;                  // false: a model of no row, with the values of its relatives
  unsigned given = 0;  // Given: what a configuration has said, which nothing overrides
};
struct Given {
  static constexpr unsigned window = 1, max_output = 2, images = 4, thinks = 8, prices = 16;
};

// A model that is no longer served.
struct RetiredRow {
  std::string_view provider;
  std::string_view name;  // also stands for its dated versions
  std::string_view ended;
  std::string_view instead;
};

// At least: a call in the sum may have been long enough for a higher price.
struct Cost {
  double dollars = 0;
  bool at_least = false;
  bool operator==(const Cost&) const = default;
};

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
  // What services say of their models: `told` is asked once for each, when it is first needed.
  using Told = std::function<std::vector<ServiceModel>(const ProviderRow&)>;
  void ask_for_service_models(Told told) { told_ = std::move(told); }
  void learn(std::string_view provider, std::vector<ServiceModel> models);
  const std::vector<ServiceModel>& served(const ProviderRow& row) const;
  bool has_row(const model::ModelRef& ref) const { return find_row(ref) != nullptr; }
  // Of a family the rows of its service have.
  bool is_relative(const model::ModelRef& ref) const { return find_relative(ref) != nullptr; }
  // Null: it is not known to have ended.
  const RetiredRow* find_retired(const model::ModelRef& ref) const;
  // The rules for handing a conversation to it.
  handover::Target target(const model::ModelRef& ref,
                          const handover::Preferences& wishes = {}) const;
  // For one model (provider/model) and for all of a session; nullopt: a price is not known, or
  // nothing was used at all.
  std::optional<Cost> cost(std::string_view model, const model::Usage& usage) const;
  std::optional<Cost> cost(const std::map<std::string, model::Usage>& usage) const;

  // "provider/model", an alias, or the bare name of a model in the table. Throws if it is none.
  model::ModelRef parse(std::string_view text) const;

  // Every variable that may hold a key.
  std::vector<std::string> key_variables() const;

 private:
  std::string_view keep(std::string_view text) const;
  ModelRow row_or_guess(const model::ModelRef& ref) const;
  const ModelRow* find_row(const model::ModelRef& ref) const;
  const ModelRow* find_relative(const model::ModelRef& ref) const;
  std::string_view home_of(std::string_view provider) const;
  std::string_view alias_of(const ProviderRow& row, std::string_view model) const;

  mutable std::set<std::string, std::less<>> texts_{};  // stay where they are
  std::vector<ProviderRow> providers_{};
  std::vector<ModelRow> models_{};
  std::map<std::string, std::string, std::less<>> aliases_{};
  Told told_{};
  // Sorted by name, as a service may list thousands.
  mutable std::map<std::string, std::vector<ServiceModel>, std::less<>> served_{};
};

// Where requests go: the row's variable, else the row's own address; with a scheme, without a final
// slash or /v1.
std::string base_url(const ProviderRow& row);

// The row as it stands for one model: some services speak two formats.
ProviderRow routed(const ProviderRow& row, std::string_view model);

// What the handover and the codecs want to know of a model; `provider` is routed.
handover::Target target_of(const ProviderRow& provider, const ModelRow& model,
                           const model::ModelRef& ref, const handover::Preferences& wishes = {});
wire::ModelFacts facts_of(const ProviderRow& provider, const ModelRow& model,
                          const model::ModelRef& ref);

}  // namespace skein::catalog
