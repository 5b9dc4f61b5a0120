// The prompt on a screen that is recorded: a line is typed, what it prints is compared.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include "core/store/home/file_backend.h"
#include "providers/offline/offline.h"
#include "repl/repl.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"
#include "tests/support/recorded_screen.h"

namespace skein::test {

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// What a prompt works with; everything in it must outlive the scene.
struct SceneParts {
  store::SessionStore& store;
  agent::Agent& agent;
  std::atomic<bool>& stop;
  agent::Agent::Settings settings;
  std::string workspace = "/";
  session::Services services{};
};

// A prompt in the session main:cli:user.
struct PromptScene {
  explicit PromptScene(SceneParts parts)
      : input({.screen = *screen, .stop = parts.stop}),
        session({.store = parts.store,
                 .agent = parts.agent,
                 .screen = *screen,
                 .input = input,
                 .stop = parts.stop,
                 .leave = leave,
                 .workspace = parts.workspace,
                 .settings_for =
                     [settings = parts.settings](const agent::Conversation&) { return settings; },
                 .services = std::move(parts.services)}) {
    session.open(session_called(parts.store, "main:cli:user"));
  }

  // What the screen shows for one line.
  std::string shown(const std::string& line) {
    screen->flush();
    screen.writes.clear();
    repl.handle({line});
    screen->flush();
    return screen.bytes();
  }

  std::atomic<bool> leave{false};
  RecordedScreen screen{piped};
  session::TypedInput input;
  session::Session session;
  repl::Repl repl{session, input};
};

// The model offline/demo with a window of 32,000 tokens on a store in memory.
struct DemoParts {
  offline::OfflineProvider demo{std::chrono::milliseconds{0}};
  store::SessionStore store{
      std::make_unique<store::home::FileBackend>(store::files::memory_files())};
  model::Tools tools{};
  agent::Agent agent{agent_parts(store, tools, demo, [&](agent::Parts& with) {
    with.limits = [](const model::ModelRef&) { return agent::ModelLimits{{32'000, 4'000}, true}; };
  })};
  std::atomic<bool> stop{false};
};

struct DemoScene : DemoParts, PromptScene {
  explicit DemoScene(session::Services services)
      : PromptScene({.store = store,
                     .agent = agent,
                     .stop = stop,
                     .settings = {.model = {"offline", "demo"}, .system = "be brief"},
                     .services = std::move(services)}) {}
};

}  // namespace skein::test
