// What commands may ask of the rest of the program. The REPL knows no provider, no key and no
// configuration file; app/ provides these functions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/handover/target.h"
#include "core/model/message.h"
#include "core/model/provider.h"
#include "core/model/tool.h"
#include "core/text/base.h"
#include "repl/pick/model_rows.h"

namespace skein::session {

using pick::ModelLine;

struct Cost {
  double dollars = 0;
  bool at_least = false;  // a call in it may have been charged higher
};

// A server of tools, for a list.
struct ServerLine {
  std::string name, state, tools, tokens, source, place;
  std::string trouble{};  // why it cannot be used
};

struct Services {
  const model::Tools* tools = nullptr;
  std::function<std::vector<ModelLine>()> models = [] { return std::vector<ModelLine>{}; };
  // Asks services for their models while the list is shown; true: it has changed.
  std::function<bool(const model::Ports&)> refresh_models = [](const model::Ports&) {
    return false;
  };
  // What a user who chooses this model and its thinking should know.
  std::function<std::vector<std::string>(const model::ModelRef&)> remarks =
      [](const model::ModelRef&) { return std::vector<std::string>{}; };
  // Accepts any name a user may type; throws Error if there is no such model.
  std::function<model::ModelRef(std::string_view)> model{};
  std::function<handover::Target(const model::ModelRef&)> target{};
  // What this usage of provider/model cost; nullopt: unknown.
  std::function<std::optional<Cost>(const std::string& model, const model::Usage& usage)> cost =
      [](const std::string&, const model::Usage&) { return std::nullopt; };
  // The same for the many calls of a report: what is known of a model is looked up once.
  using CallCost = std::function<std::optional<Cost>(const std::string&, const model::Usage&)>;
  std::function<CallCost()> call_cost = [] {
    return [](const std::string&, const model::Usage&) { return std::nullopt; };
  };
  // What the user should be told between two prompts, once; empty: nothing.
  std::function<std::string(Id open)> news = [](Id) { return std::string{}; };
  // How to provide keys, and which were found; with a provider's name, whether its key works.
  std::function<std::string(std::string_view provider)> login = [](std::string_view) {
    return std::string{};
  };
  // The files that @ can name, relative to the workspace, without those that git ignores.
  std::function<std::vector<std::string>()> files = [] { return std::vector<std::string>{}; };
  std::function<std::string()> configuration = [] { return std::string{}; };
  // Grants or revokes a rule of this session, recorded outside of its transcript. Each returns why
  // that could not be saved.
  std::function<std::string(Id session, const std::string& rule)> grant =
      [](Id, const std::string&) { return std::string{}; };
  std::function<std::string(Id session, const std::string& rule)> take_back = grant;
  std::function<std::vector<ServerLine>()> servers = [] { return std::vector<ServerLine>{}; };
  // Does `what` (reconnect, enable or disable) with a server and says what came of it. Throws Error
  // if there is no such server or nothing of that kind to do.
  std::function<std::string(std::string_view what, std::string_view server)> change_server =
      [](std::string_view, std::string_view) { return std::string{}; };
  // Describes the sandbox that commands run in.
  std::function<std::string()> sandbox = [] { return std::string{}; };
};

}  // namespace skein::session
