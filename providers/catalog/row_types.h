// What a row of the catalog says about a service or about a model.
#pragma once

#include "core/handover/target.h"
#include "core/model/provider.h"
#include "providers/catalog/version.h"

namespace skein::catalog {

// How a service lists its models.
enum class ModelListing { openai, anthropic, google, ollama, llamacpp, lmstudio };

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
  ModelListing listing = ModelListing::openai;
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
  std::string_view provider{};
  std::string_view name{};  // also names its dated versions, name-20…
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
  std::string_view name;  // also names its dated versions
  std::string_view ended;
  std::string_view instead;
};

}  // namespace skein::catalog
