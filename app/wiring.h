// Puts the parts together: the one place that names every concrete class.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "app/cli.h"
#include "app/config.h"
#include "app/session_choice.h"
#include "core/agent.h"
#include "core/conversation.h"
#include "core/store/grants.h"
#include "core/tools/sandbox.h"
#include "providers/catalog.h"
#include "providers/keys.h"
#include "providers/known_windows.h"
#include "repl/desk.h"
#include "repl/screen/screen.h"

namespace skein {

// Everything a conversation needs, made for one invocation.
class Workbench {
 public:
  explicit Workbench(const Invocation& invocation);

  SessionStore& store() { return store_; }
  Agent& agent() { return *agent_; }
  const Tools& tools() const { return tools_; }
  const Catalog& catalog() const { return catalog_; }
  const Config& config() const { return config_; }
  const std::string& workspace() const { return workspace_; }
  Sandbox sandbox() const;

  // How a session is to be worked on: as it was last, unless flags say otherwise. They count when
  // skein is started; whatever is opened later goes on as it was left.
  enum class Flags { count, do_not };
  Agent::Settings settings_for(const Conversation& conversation, Flags flags = Flags::count) const;
  // The first provider a key is there for; without any, the model that is built in.
  std::string default_model() const;
  std::string without_key() const;  // the model that is built in
  Desk desk();                      // what the REPL's commands may ask
  // Standard output, as flags and environment want it, with the titles of our tools and the prices
  // of our models.
  Screen::Parts screen_parts() const;
  // Masks every key in `text`.
  std::string clean(std::string text) const;
  // Shows events to `sink` with every key in them masked.
  std::function<void(const Event&)> masking(std::function<void(const Event&)> sink) const;

 private:
  std::string kept(std::string_view bytes);
  ModelLimits limits_of(const ModelRef& model) const;
  std::string place_of(const ModelRef& model) const;
  Provider& provider_for(const ModelRef& model);

  const Invocation& invocation_;
  std::string workspace_;
  Catalog catalog_{};
  Keyring keys_{};
  Config config_;
  SessionStore store_;
  KnownWindows windows_;
  Tools tools_;
  std::string system_;
  mutable Grants grants_;  // read when first asked
  std::map<std::string, std::unique_ptr<Provider>> providers_{};
  std::unique_ptr<Agent> agent_{};
};

int run(const Invocation& invocation);  // returns the exit status

// Set by SIGINT, SIGTERM and SIGHUP; cleared by whoever starts something that can be stopped.
std::atomic<bool>& stop_asked();
// Set by SIGTERM and SIGHUP, never cleared.
std::atomic<bool>& leave_asked();

// What a shell calls a program that was ended by ^C; scripts get it for every signal.
inline constexpr int interrupted_status = 130;

}  // namespace skein
