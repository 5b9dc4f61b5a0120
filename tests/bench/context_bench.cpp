// How long a request takes to build: from a path of 200 entries, and for a session of 100,000
// entries of which the window holds 500, from the moment it has been opened, with what of the file
// was read for it. In processor time, the median of eleven runs.
//   context_bench [entries of the long session]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "core/agent/agent.h"
#include "core/store/home/file_backend.h"
#include "tests/support/homes.h"
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
  store.remember(session, "/");

  const model::Tools tools;
  const agent::Agent::Settings settings{.model = {"anthropic", "claude"}};
  const auto limits = [](const model::ModelRef&) {
    return agent::ModelLimits{{500 * 107 + 8'000, 8'000}};
  };
  std::size_t sent = 0, read = 0;
  const double opening = median_ms([&] { agent::Conversation opened(store, session); });
  const double both = median_ms([&] {
    agent::Agent agent({.store = store, .tools = tools, .provider = {}, .limits = limits});
    agent::Conversation conversation(store, session);
    sent = agent.context(conversation, settings).context.messages.size();
    read = conversation.path().size();
  });
  std::printf(
      "context of a session of %zu entries: %.3f ms after opening it in %.3f ms (%zu sent, %zu "
      "read)\n",
      entries, both - opening, opening, sent, read);
}

}  // namespace

int main(int argc, char** argv) {
  short_path();
  long_session(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000);
  return 0;
}
