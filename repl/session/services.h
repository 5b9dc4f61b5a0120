// What commands may ask of the rest of the program. The REPL knows no provider, no key and no
// configuration file; whoever puts the parts together hands it these.
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

namespace skein::session {

struct ModelLine {
  std::string name;     // provider/model
  bool usable = false;  // now: there is a key, or a server that runs
  std::string note{};   // window, prices, what is lacking
};

struct Services {
  const model::Tools* tools = nullptr;
  std::function<std::vector<ModelLine>()> models = [] { return std::vector<ModelLine>{}; };
  // By any name the user may give it; throws Error if there is none.
  std::function<model::ModelRef(std::string_view)> model{};
  std::function<handover::Target(const model::ModelRef&)> target{};
  // In dollars, of tokens of the model provider/model; nullopt: not known.
  std::function<std::optional<double>(const std::string& model, const model::Usage& usage)> cost =
      [](const std::string&, const model::Usage&) { return std::nullopt; };
  // How keys are given, and which were found; with a provider's name, whether its key works.
  std::function<std::string(std::string_view provider)> login = [](std::string_view) {
    return std::string{};
  };
  // What @ can name, relative to the workspace; without what git ignores.
  std::function<std::vector<std::string>()> files = [] { return std::vector<std::string>{}; };
  std::function<std::string()> configuration = [] { return std::string{}; };
  // Which rules the user gave a session here, kept outside of it: gives one, takes one back. Each
  // returns why it could not be written down.
  std::function<std::string(Id session, const std::string& rule)> grant =
      [](Id, const std::string&) { return std::string{}; };
  std::function<std::string(Id session, const std::string& rule)> take_back = grant;
  // What commands are shut into, in a sentence.
  std::function<std::string()> sandbox = [] { return std::string{}; };
};

}  // namespace skein::session
