// What it takes to count over a large home: 10,000 sessions of 100 MB in all, some of them forks.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "core/insights/collect.h"
#include "core/insights/report.h"
#include "core/store/log/new_transcript.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

double cpu_ms() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

// As an agent writes one: a prompt, an answer with a call, a result, and again.
model::Entry nth_entry(std::size_t number, std::size_t bytes) {
  const std::string text(bytes, 'x');
  model::Message message = model::user_message(text);
  if (number % 3 == 1) {
    message.role = model::Role::assistant;
    message.provider = "anthropic";
    message.model = number % 2 == 0 ? "claude-a" : "claude-b";
    message.stop = model::Stop::tool_use;
    message.usage = model::Usage{100, 10, 50, 5, 0};
    message.duration_ms = 1200;
    message.first_token_ms = 300;
    message.content.emplace_back(model::ToolUse{"call" + std::to_string(number), "read"});
  } else if (number % 3 == 2) {
    message = model::Message{
        .role = model::Role::tool,
        .content = {model::ToolResult{
            "call" + std::to_string(number - 1), {model::Text{text}}, number % 30 == 2}}};
  }
  return model::message_entry(message);
}

void fill(const std::string& home, std::size_t sessions, std::size_t entries, std::size_t bytes) {
  store_at(home);
  const std::unique_ptr<store::files::Files> files = store::files::real_files(home);
  std::vector<model::Entry> shared;
  for (std::size_t i = 0; i < entries; ++i) shared.push_back(nth_entry(i, bytes));
  for (std::size_t i = 0; i < sessions; ++i) {
    const store::SessionHeader header{.session = random_id(),
                                      .key = "main:bench:" + std::to_string(i),
                                      .cwd = "/project/" + std::to_string(i % 20),
                                      .created_at = now_utc()};
    store::log::NewTranscript transcript(*files, header, "the bench");
    std::optional<Id> parent;
    for (std::size_t j = 0; j < entries; ++j) {
      model::Entry entry = shared[j];
      if (i % 10 != 0) entry.id = random_id();  // every tenth repeats the first
      entry.parent = parent;
      parent = entry.id;
      transcript.add(entry);
    }
    if (!transcript.link_into_place()) std::abort();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t sessions = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000;
  const TempDir dir;
  const std::string home = (dir / "home").string();
  fill(home, sessions, 15, 420);
  store_at(home).list();  // makes the index, which is there in a home that is used
  store::SessionStore store = store_at(home);
  const double before = cpu_ms();
  const auto start = std::chrono::steady_clock::now();
  const insights::Insights found = insights::collect(store, {});
  const std::string json = as_json(found, insights::By::day, now_ms());
  const double wall =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::uint64_t bytes = 0;
  for (const store::SessionRecord& record : store.list()) bytes += record.bytes;
  std::printf("insights over %zu sessions, %.0f MB: %.0f ms of CPU, %.0f ms; %ld answers\n",
              sessions, static_cast<double>(bytes) / 1e6, cpu_ms() - before, wall,
              static_cast<long>(found.all.calls));
}
