// How long a request takes to build: from a path of 200 entries, and for a session of 100,000
// entries of which the window holds 500, from the moment it has been opened, with what of the file
// was read for it. In processor time, the median of eleven runs. And how much of what is sent in a
// session of fifty turns, with a changed AGENTS.md after every ten, was sent in the request before:
// what a prompt cache can give back.
//   context_bench [entries of the long session]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/agent/agent.h"
#include "core/handover/normalize.h"
#include "core/store/home/file_backend.h"
#include "core/text/json.h"
#include "providers/offline/offline.h"
#include "providers/wire/codecs.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

template <class Work>
double median_ms(Work work) {
  std::vector<double> times;
  for (int i = 0; i < 11; ++i) {
    const std::clock_t start = std::clock();
    work();
    times.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::ranges::nth_element(times, times.begin() + 5);
  return times[5];
}

// A question of a hundred tokens or so, and an answer.
model::Entry entry_number(std::size_t i) {
  return model::message_entry(i % 2 == 0 ? model::user_message(std::string(400, 'q'))
                                         : answers(std::string(400, 'a')));
}

void short_path() {
  std::vector<model::Entry> path;
  for (std::size_t i = 0; i < 200; ++i) follow(path, entry_number(i));
  const std::set<Id> redacted;
  const auto build = [&] {
    return context::build_context(
        {path, redacted, "", {}, {"anthropic", "claude"}, {200'000, 8'000}});
  };
  const double ms = median_ms(build);
  std::printf("context from a path of 200 entries: %.3f ms (%zu sent)\n", ms,
              build().context.messages.size());
}

void long_session(std::size_t entries) {
  TempDir dir;
  store::SessionStore store = store_at(dir.path().string());
  const Id session = session_called(store, "main:bench:long");
  std::vector<store::NewEntry> batch;
  for (std::size_t i = 0; i < entries; ++i) {
    batch.push_back({entry_number(i)});
    if (batch.size() == 1000 || i + 1 == entries) append(store, session, std::exchange(batch, {}));
  }
  store.presence().remember(session, "/");

  const model::Tools tools;
  offline::OfflineProvider nobody{std::chrono::milliseconds{0}};  // is not asked
  const agent::Agent::Settings settings{.model = {"anthropic", "claude"}};
  const auto limits = [](const model::ModelRef&) {
    return agent::ModelLimits{{500 * 107 + 8'000, 8'000}};
  };
  std::size_t sent = 0, read = 0;
  const double opening = median_ms([&] { agent::Conversation opened(store, session); });
  const double both = median_ms([&] {
    agent::Agent agent(
        agent_parts(store, tools, nobody, [&](agent::Parts& with) { with.limits = limits; }));
    agent::Conversation conversation(store, session);
    sent = agent.context(conversation, settings).context.messages.size();
    read = conversation.path().size();
  });
  std::printf(
      "context of a session of %zu entries: %.3f ms after opening it in %.3f ms (%zu sent, %zu "
      "read)\n",
      entries, both - opening, opening, sent, read);
}

// Looks into two files in every turn, then answers; remembers what it was sent, in the order in
// which a cache reads it.
class Reader : public model::Provider {
 public:
  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports&) override {
    model::Context sent = context;
    const handover::Target target =
        handover::target_for(handover::WireFormat::anthropic, model.provider, model.model);
    sent.messages = handover::normalize(context.messages, target);
    Json body = *parse_json(wire::anthropic_messages.encode(sent, model, {}).body);
    without_marks(body);
    std::string text = text_at(body, "tools") + text_at(body, "system");
    for (const Json& message : body.at("messages")) text += dump(message);
    const auto [mine, theirs] =
        std::mismatch(text.begin(), text.end(), before_.begin(), before_.end());
    repeated += static_cast<std::size_t>(mine - text.begin());
    bytes += text.size();
    before_ = std::move(text);

    model::Message reply = answers("let me see");
    if (context.messages.back().role == model::Role::tool) return answers(std::string(600, 'a'));
    for (int i = 0; i < 2; ++i)
      reply.content.emplace_back(model::ToolUse{"call_" + std::to_string(++calls_), "read"});
    reply.stop = model::Stop::tool_use;
    return reply;
  }

  std::size_t bytes = 0, repeated = 0;

 private:
  static void without_marks(Json& value) {
    if (value.is_object()) value.erase("cache_control");
    if (value.is_structured())
      for (Json& each : value) without_marks(each);
  }

  std::string before_{};
  int calls_ = 0;
};

void fifty_turns(std::int64_t window) {
  Reader reader;
  store::SessionStore store(
      std::make_unique<store::home::FileBackend>(store::files::memory_files()));
  const model::Tools tools{
      {.name = "read",
       .description = "reads a file",
       .schema = R"({"type":"object"})",
       .effect = model::Effect::reads,
       .title = [](const JsonText&) { return "read"; },
       .run = [](const JsonText&,
                 const model::ToolPorts&) { return model::tool_text(std::string(6000, 'f')); }}};
  const Id session = session_called(store, "main:bench:fifty");
  for (int day = 0; day < 5; ++day) {
    agent::Agent agent(agent_parts(store, tools, reader, [&](agent::Parts& with) {
      with.limits = [&](const model::ModelRef&) {
        return agent::ModelLimits{{window, 8'000}, true};
      };
    }));
    agent::Conversation conversation(store, session);
    const std::string guide = "day " + std::to_string(day) + std::string(2000, 'g');
    agent::Settings settings;
    settings.model = {"anthropic", "claude"};
    settings.system = "be brief. " + guide;
    settings.surroundings = {{"AGENTS.md of this workspace", guide, true}};
    settings.rules.mode = permission::Mode::bypass;
    for (int turn = 0; turn < 10; ++turn)
      agent.run_turn(conversation, model::user_message(std::string(400, 'q')), settings, {});
  }
  std::printf("fifty turns in a window of %lld: %.1f %% of %.1f MB were sent before\n",
              static_cast<long long>(window),
              100 * static_cast<double>(reader.repeated) / static_cast<double>(reader.bytes),
              static_cast<double>(reader.bytes) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  short_path();
  long_session(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000);
  for (const std::int64_t window : {40'000, 100'000, 1'000'000}) fifty_turns(window);
  return 0;
}
