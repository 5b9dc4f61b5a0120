#include "app/config/rows.h"

#include <algorithm>

#include "app/config/key_command.h"
#include "core/text/text.h"

namespace skein::config::rows {

namespace {

using enum Key::Workspace;
using catalog::Given, catalog::ModelRow, catalog::Prices, catalog::ProviderRow;

// Whether a model of that name can be asked for depends on tables further down: see check_models.
bool add_alias(Target& to, const Item& item) {
  to.catalog.add_alias(item.owner, item.text);
  return true;
}

bool set_like(Target& to, const Item& item) {
  const ProviderRow* known = to.catalog.find_provider(item.text);
  if (known == nullptr) {
    std::vector<std::string> names;
    for (const ProviderRow& row : to.catalog.providers()) names.emplace_back(row.name);
    throw Error(
        "like is '" + item.text + "', which is no known provider; there are " + listed(names),
        ExitStatus::usage);
  }
  ProviderRow row = *known;
  row.name = item.owner;
  // What it serves may be the same models, but only the vendor itself is known to speak both
  // formats.
  if (known->name != item.owner) {
    if (row.home.empty()) row.home = known->name;
    row.responses = {};
  }
  // The provider it is like has a key of its own, which must not go to others.
  if (known->name != item.owner) row.key_variables = {}, row.key_command = {};
  to.catalog.add(row);
  return true;
}

template <class Change>
bool change_provider(Target& to, const Item& item, Change change) {
  if (const ProviderRow* known = to.catalog.find_provider(item.owner)) {
    ProviderRow row = *known;
    change(row);
    to.catalog.add(row);
  }
  return true;
}

bool set_url(Target& to, const Item& item) {
  return change_provider(to, item, [&](ProviderRow& row) {
    row.base_url = item.text;
    row.base_url_variable = {};
  });
}
// A workspace may say where its keys come from, but not with a file of its own: trust is in the
// text of its configuration, not in what lies beside it.
bool set_key_command(Target& to, const Item& item) {
  std::string command = item.text;
  if (to.by_workspace()) {
    if (const std::string used = workspace_file_in(command, to.workspace); !used.empty()) {
      to.config.notices.push_back(
          "the key-command of " + item.owner + " in the workspace's configuration uses " + used +
          " of the workspace, which trust does not cover; passed over. Name a command outside of "
          "it, or put it into your own configuration");
      return true;
    }
    command = away_from_workspace(command);
  }
  return change_provider(to, item, [&](ProviderRow& row) { row.key_command = command; });
}
bool set_key_variable(Target& to, const Item& item) {
  return change_provider(to, item, [&](ProviderRow& row) { row.key_variables = {item.text}; });
}
template <auto member>
bool set_in_provider(Target& to, const Item& item) {
  return change_provider(to, item, [&](ProviderRow& row) { take(row.*member, item); });
}

bool set_wire(Target& to, const Item& item) {
  using enum handover::WireFormat;
  return change_provider(to, item, [&](ProviderRow& row) {
    if (row.wire != openai_chat && row.wire != openai_responses)
      throw Error("wire is for services like openai, which " + item.owner + " is not",
                  ExitStatus::usage);
    row.wire = item.text == "responses" ? openai_responses : openai_chat;
    row.responses = {};
  });
}

template <class Change>
bool change_model(Target& to, const Item& item, Change change) {
  const std::size_t slash = std::min(item.owner.find('/'), item.owner.size() - 1);
  const model::ModelRef ref{item.owner.substr(0, slash), item.owner.substr(slash + 1)};
  ModelRow row = to.catalog.find_model(ref);
  row.provider = ref.provider;
  row.name = ref.model;
  row.known = true;
  change(row);
  to.catalog.add(row);
  return true;
}

template <auto member, unsigned given>
bool set_in_model(Target& to, const Item& item) {
  return change_model(to, item, [&](ModelRow& row) {
    take(row.*member, item);
    row.given |= given;
  });
}
// Who has a price of their own pays it for calls of any length.
template <auto member>
bool set_price(Target& to, const Item& item) {
  return change_model(to, item, [&](ModelRow& row) {
    take(row.prices.*member, item);
    row.tiers = {};
    row.given |= Given::prices;
  });
}
bool set_thinks(Target& to, const Item& item) {
  return change_model(to, item, [&](ModelRow& row) {
    using enum model::ThinkingLevel;
    if (!item.truth)
      row.thinks = {};
    else if (row.thinks.empty())
      row.thinks = {off, low, medium, high};
    row.given |= Given::thinks;
  });
}

constexpr double most_tokens = 1e9;
constexpr double most_dollars = 1e6;

constexpr Key provider_table[] = {
    {"providers", "like", text, "the known one of that name", trusted, "",
     "the known provider whose format it speaks", set_like},
    {"providers", "url", text, "as the one it is like", trusted, "", "where it is, without /v1",
     set_url},
    {"providers", "key-command", text, "none", trusted, "", "a shell command that prints the key",
     set_key_command},
    {"providers", "key-variable", text, "none, for a name skein does not know", trusted, "",
     "the environment variable that holds the key", set_key_variable},
    {"providers", "key-needed", truth, "as the one it is like", trusted, "",
     "false: it may be asked without a key", set_in_provider<&ProviderRow::key_needed>},
    {"providers", "allow-http", truth, "false", trusted, "",
     "true: its key may go to another machine by http://, where others can read it",
     set_in_provider<&ProviderRow::allow_http>},
    {"providers", "wire", one_of("chat|responses"), "chat, for a name skein does not know", trusted,
     "", "which of OpenAI's two formats it speaks", set_wire},
    {"providers", "betas", truth, "false, except for Anthropic itself", trusted, "",
     "true: it passes Anthropic's beta headers on", set_in_provider<&ProviderRow::betas>},
};

constexpr Key model_table[] = {
    {"models", "window", whole(1, most_tokens), "what is known of it", trusted, "",
     "how many tokens it can take in", set_in_model<&ModelRow::window, Given::window>},
    {"models", "max-output", whole(1, most_tokens), "what is known of it", trusted, "",
     "how many tokens an answer may have", set_in_model<&ModelRow::max_output, Given::max_output>},
    {"models", "images", truth, "what is known of it", trusted, "", "whether it takes images",
     set_in_model<&ModelRow::images, Given::images>},
    {"models", "thinking", truth, "what is known of it", trusted, "",
     "whether it can think before it answers", set_thinks},
    {"models", "input", number(0, most_dollars), "what is known of it", trusted, "",
     "dollars per million tokens sent", set_price<&Prices::input>},
    {"models", "output", number(0, most_dollars), "what is known of it", trusted, "",
     "dollars per million tokens of answers", set_price<&Prices::output>},
    {"models", "cache-read", number(0, most_dollars), "what is known of it", trusted, "",
     "dollars per million tokens read from the provider's cache", set_price<&Prices::cache_read>},
    {"models", "cache-write", number(0, most_dollars), "what is known of it", trusted, "",
     "dollars per million tokens written to it", set_price<&Prices::cache_write>},
    {"models", "fallback", models, "as set for all models", trusted, "",
     "what to ask when this one cannot answer", set_fallback},
};

constexpr Key alias_table[] = {
    {"aliases", "", text, "none", trusted, "",
     "a short name for a model: fast = \"openai/gpt-6-luna\"", add_alias},
};

}  // namespace

std::span<const Key> provider_rows() { return provider_table; }
std::span<const Key> model_rows() { return model_table; }
std::span<const Key> alias_rows() { return alias_table; }

}  // namespace skein::config::rows
