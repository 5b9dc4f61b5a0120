// Who serves models, and what is known about the models: two tables, and the rows a configuration
// adds to them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/handover/target.h"
#include "core/model/provider.h"
#include "providers/wire/codecs.h"

namespace skein::catalog {

enum class Auth { none, bearer, x_api_key, x_goog_api_key };

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
  bool betas = false;       // it knows the beta headers of whose format it speaks
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

enum class Thinks { no, optional, always };

struct ModelRow {
  std::string_view provider;
  std::string_view name;  // also stands for its dated versions, name-20…
  std::int64_t window = 0;
  std::int64_t max_output = 0;
  Thinks thinks = Thinks::no;
  bool images = false;
  Prices prices{};
  std::string_view thinking_off{};  // how thinking is switched off, where silence does not do it
  bool known = true;                // false: a model of no row, with cautious values
};

// nullopt: there were tokens of a kind whose price is not known.
std::optional<double> cost_usd(const model::Usage& usage, const Prices& prices);

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

  const ProviderRow* find_provider(std::string_view name) const;  // null: unknown, or built in
  const BuiltInRow* find_built_in(std::string_view name) const;
  // What works without any key.
  const BuiltInRow& fallback() const;
  ModelRow find_model(const model::ModelRef& ref) const;
  // In dollars, for one model (provider/model) and for all of a session; nullopt: a price is not
  // known, or nothing was used at all.
  std::optional<double> cost(std::string_view model, const model::Usage& usage) const;
  std::optional<double> cost(const std::map<std::string, model::Usage>& usage) const;

  // "provider/model", an alias, or the bare name of a model in the table. Throws if it is none.
  model::ModelRef parse(std::string_view text) const;

  // Every variable that may hold a key.
  std::vector<std::string> key_variables() const;

 private:
  std::string_view keep(std::string_view text);

  std::deque<std::string> texts_{};
  std::vector<ProviderRow> providers_{};
  std::vector<ModelRow> models_{};
  std::map<std::string, std::string, std::less<>> aliases_{};
};

// Where requests go: the row's variable, else the row's own address; with a scheme, without a final
// slash or /v1.
std::string base_url(const ProviderRow& row);

// The rules of a model, as core/handover wants them.
handover::Target target_of(const ProviderRow& provider, const ModelRow& model,
                           const model::ModelRef& ref, const handover::Preferences& wishes = {});

// What the codecs want to know of a model.
wire::ModelFacts facts_of(const ProviderRow& provider, const ModelRow& model,
                          const model::ModelRef& ref);

}  // namespace skein::catalog
