// What a turn costs beside the model and the tools: CPU per model call with 200 entries of context,
// and a one-shot `skein -p` against a server that answers at once. One line per workload; ratios
// are of one run.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/agent.h"
#include "providers/request.h"
#include "tests/support/dialects.h"
#include "tests/support/homes.h"
#include "tests/support/loopback_server.h"
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
struct Instant : Provider {
  Message stream(const Context& context, const ModelRef& model, const Ports&) override {
    if (makes_requests)
      bytes = make_request(context, {"anthropic", "claude-sonnet-4-5"},
                           *catalog.find_provider("anthropic"),
                           catalog.find_model({"anthropic", "claude-sonnet-4-5"}))
                  .wire.body.size();
    Message reply{.role = Role::assistant,
                  .content = {Text{"I look at the next file."}},
                  .provider = model.provider,
                  .model = model.model,
                  .stop = Stop::stop};
    if (calls_left-- > 0) {
      reply.content.emplace_back(
          ToolUse{"c" + std::to_string(calls_left), "look", R"({"path":"src/main.cpp"})"});
      reply.stop = Stop::tool_use;
    }
    return reply;
  }
  Catalog catalog{};
  int calls_left = 0;
  bool makes_requests = false;
  std::size_t bytes = 0;
};

Tool look() {
  return {
      .name = "look",
      .description = "for the bench",
      .schema = R"({"type":"object"})",
      .effect = Effect::reads,
      .title = [](const JsonText&) { return std::string("look"); },
      .run = [](const JsonText&, const ToolPorts&) { return tool_text(std::string(1000, 'x')); }};
}

// A session whose path has `context_entries` messages of a kilobyte or so.
Id long_session(SessionStore& store, const std::string& key) {
  const Id session = session_called(store, key);
  std::vector<NewEntry> entries;
  for (int i = 0; i < context_entries / 4; ++i) {
    Message call{.role = Role::assistant, .content = {Text{"hm"}}, .stop = Stop::tool_use};
    call.content.emplace_back(ToolUse{"o" + std::to_string(i), "look", R"({"path":"a"})"});
    Message result{.role = Role::tool};
    result.content = {
        ToolResult{"o" + std::to_string(i), {Text{std::string(1000, 'r')}}, false, {}}};
    Message done{.role = Role::assistant, .content = {Text{"so it is"}}, .stop = Stop::stop};
    for (const Message& each : {user_message(std::string(200, 'u')), call, result, done})
      entries.push_back({message_entry(each)});
  }
  append(store, session, entries);
  return session;
}

// Ten calls in each of many sessions, so that the context stays about as long as it is.
double per_model_call(bool makes_requests, std::size_t& bytes) {
  const TempDir dir;
  SessionStore store = store_at(dir.path().string());
  const Tools tools{look()};
  Instant provider;
  Agent agent({.store = store, .tools = tools, .provider = [&](const ModelRef&) -> Provider& {
                 return provider;
               }});
  Agent::Settings settings{
      .model = {"instant", "x"}, .system = "be brief", .max_calls = model_calls};
  provider.makes_requests = makes_requests;
  double spent = 0;
  for (int i = 0; i < model_calls / 10; ++i) {
    Conversation conversation(store, long_session(store, "main:bench:turn" + std::to_string(i)));
    provider.calls_left = 9;
    const double start = cpu_ms();
    agent.run_turn(conversation, user_message("go on"), settings, {});
    spent += cpu_ms() - start;
  }
  bytes = provider.bytes;
  return spent / model_calls;
}

double per_append() {
  const TempDir dir;
  SessionStore store = store_at(dir.path().string());
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
