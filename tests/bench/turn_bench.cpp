// What a turn costs beside the model and the tools: CPU per model call with 200 entries of context,
// and a one-shot `skein -p` against a server that answers at once. One line per workload; ratios
// are of one run.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/agent/agent.h"
#include "providers/request.h"
#include "tests/support/dialects.h"
#include "tests/support/homes.h"
#include "tests/support/loopback_server.h"
#include "tests/support/parts.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

constexpr int context_entries = 200, model_calls = 200;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Answers at once: with a call as long as there are to be any. What a real provider does before it
// sends can be done too, to see what that costs.
struct Instant : model::Provider {
  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports&) override {
    if (makes_requests)
      bytes = providers::make_request(context, {"anthropic", "claude-sonnet-4-5"},
                                      *catalog.find_provider("anthropic"),
                                      catalog.find_model({"anthropic", "claude-sonnet-4-5"}))
                  .wire.body.size();
    model::Message reply{.role = model::Role::assistant,
                         .content = {model::Text{"I look at the next file."}},
                         .provider = model.provider,
                         .model = model.model,
                         .stop = model::Stop::stop};
    if (calls_left-- > 0) {
      reply.content.emplace_back(
          model::ToolUse{"c" + std::to_string(calls_left), "look", R"({"path":"src/main.cpp"})"});
      reply.stop = model::Stop::tool_use;
    }
    return reply;
  }
  catalog::Catalog catalog{};
  int calls_left = 0;
  bool makes_requests = false;
  std::size_t bytes = 0;
};

model::Tool look() {
  return {.name = "look",
          .description = "for the bench",
          .schema = R"({"type":"object"})",
          .effect = model::Effect::reads,
          .title = [](const JsonText&) { return std::string("look"); },
          .run = [](const JsonText&,
                    const model::ToolPorts&) { return model::tool_text(std::string(1000, 'x')); }};
}

// A session whose path has `context_entries` messages of a kilobyte or so.
Id long_session(store::SessionStore& store, const std::string& key) {
  const Id session = session_called(store, key);
  std::vector<store::NewEntry> entries;
  for (int i = 0; i < context_entries / 4; ++i) {
    model::Message call{.role = model::Role::assistant,
                        .content = {model::Text{"hm"}},
                        .stop = model::Stop::tool_use};
    call.content.emplace_back(model::ToolUse{"o" + std::to_string(i), "look", R"({"path":"a"})"});
    model::Message result{.role = model::Role::tool};
    result.content = {model::ToolResult{
        "o" + std::to_string(i), {model::Text{std::string(1000, 'r')}}, false, {}}};
    model::Message done{.role = model::Role::assistant,
                        .content = {model::Text{"so it is"}},
                        .stop = model::Stop::stop};
    for (const model::Message& each :
         {model::user_message(std::string(200, 'u')), call, result, done})
      entries.push_back({model::message_entry(each)});
  }
  append(store, session, entries);
  return session;
}

// Ten calls in each of many sessions, so that the context stays about as long as it is.
double per_model_call(bool makes_requests, std::size_t& bytes) {
  const TempDir dir;
  store::SessionStore store = store_at(dir.path().string());
  const model::Tools tools{look()};
  Instant provider;
  agent::Agent agent(agent_parts(store, tools, provider));
  agent::Agent::Settings settings{
      .model = {"instant", "x"}, .system = "be brief", .max_calls = model_calls};
  provider.makes_requests = makes_requests;
  double spent = 0;
  for (int i = 0; i < model_calls / 10; ++i) {
    agent::Conversation conversation(store,
                                     long_session(store, "main:bench:turn" + std::to_string(i)));
    provider.calls_left = 9;
    const double start = cpu_ms();
    agent.run_turn(conversation, model::user_message("go on"), settings, {});
    spent += cpu_ms() - start;
  }
  bytes = provider.bytes;
  return spent / model_calls;
}

double per_append() {
  const TempDir dir;
  store::SessionStore store = store_at(dir.path().string());
  const Id session = long_session(store, "main:bench:appends");
  const double start = cpu_ms();
  for (int i = 0; i < model_calls; ++i) append(store, session, {user_says("one more")});
  return (cpu_ms() - start) / model_calls;
}

double median_ms(int count, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void one_shot() {
  const TempDir dir;
  const Dialect& chat = *std::ranges::find(dialects(), "openai", &Dialect::provider);
  LoopbackServer server([&](Connection& peer) {
    peer.request();
    peer.begin_stream();
    peer.chunk(chat.begin + chat.text("yes") + chat.end);
    peer.end_stream();
  });
  const auto ends = [](const Command& command) {
    if (const Finished end = run(command); end.status != 0)
      throw Error("it ended with " + std::to_string(end.status) + ": " + end.err);
  };
  const std::string home = (dir / "home").string();
  Command turn = skein_command(
      home, {"-p", "hi", "-m", chat.provider + "/some-model", "--base-url", server.url()});
  turn.before_exec = [] { setenv("OPENAI_API_KEY", "sk-bench-0123456789abcdef", 1); };
  const double bare = median_ms(40, [&] { ends({{"true"}}); });
  const double version = median_ms(40, [&] { ends(skein_command(home, {"--version"})); });
  const double whole = median_ms(40, [&] { ends(turn); });
  std::printf(
      "one-shot against an instant server: %.1f ms wall; skein --version %.1f ms, "
      "/bin/true %.1f ms (ratio %.1f)\n",
      whole, version, bare, whole / bare);
}

}  // namespace

int main() {
  use_memory_disk();
  std::size_t bytes = 0;
  const double append_cost = per_append(), loop = per_model_call(false, bytes),
               with_request = per_model_call(true, bytes);
  std::printf(
      "a model call with %d entries: %.3f ms CPU in the loop (%.1f bare appends of %.3f "
      "ms); %.3f ms with a request of %zu KiB made and checked\n",
      context_entries, loop, loop / append_cost, append_cost, with_request, bytes / 1024);
  if (std::getenv("SKEIN") != nullptr) one_shot();
}
