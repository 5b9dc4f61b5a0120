// The store against the least that has to be done: one line per workload, ratios in one run.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/store/home/file_backend.h"
#include "core/store/log/line_codec.h"
#include "core/store/session_store.h"
#include "core/text/checksum.h"
#include "core/text/json.h"
#include "tests/support/large_home.h"

using namespace skein;
using namespace skein::test;

namespace {

using Clock = std::chrono::steady_clock;

// Of processor time: for work that waits for nothing, whatever else the machine does.
double cpu_us() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

template <class Work>
double best_cpu_us(int rounds, Work work) {
  double best = 1e18;
  for (int i = 0; i < rounds; ++i) {
    const double start = cpu_us();
    work();
    best = std::min(best, cpu_us() - start);
  }
  return best;
}

store::SessionStore store_in(const std::filesystem::path& home) {
  return store::SessionStore(
      std::make_unique<store::home::FileBackend>(store::files::real_files(home.string())));
}

// What one thing takes, on the clock and of the processor; the middle of many.
class Middle {
 public:
  template <class Work>
  void measure(Work work) {
    const double cpu = cpu_us();
    const auto start = Clock::now();
    work();
    wall_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    cpu_.push_back(cpu_us() - cpu);
  }
  double wall() { return middle(wall_); }
  double cpu() { return middle(cpu_); }

 private:
  static double middle(std::vector<double>& all) {
    const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), half, all.end());
    return *half;
  }
  std::vector<double> wall_{}, cpu_{};
};

void bench_append() {
  LargeHome small(10, 10, 700), long_one(10, 100'000, 700), crowded(10'000, 10, 700);
  const int fd = ::open((small.dir / "bare").c_str(), O_RDWR | O_CREAT | O_APPEND, 0600);
  const std::string bytes(700, 'x');
  // In turns, so that a disk that is slow for a while is slow for all of them.
  Middle bare, ours[3];
  LargeHome* const homes[] = {&small, &long_one, &crowded};
  std::vector<store::SessionStore> stores;
  for (const LargeHome* home : homes) stores.push_back(store_in(home->path));
  for (int round = 0; round < 400; ++round) {
    bare.measure([&] {
      if (::write(fd, bytes.data(), bytes.size()) < 0 || ::fdatasync(fd) < 0) std::abort();
    });
    for (std::size_t i = 0; i < 3; ++i) {
      const store::NewEntry entry = entry_of_size(700);
      ours[i].measure([&] {
        if (!stores[i].append_session_entries(homes[i]->session, std::span(&entry, 1)))
          std::abort();
      });
    }
  }
  ::close(fd);
  std::printf("append 700 B + sync: %.0f us = x%.2f write+fdatasync (%.0f us), %+.0f us\n",
              ours[0].wall(), ours[0].wall() / bare.wall(), bare.wall(),
              ours[0].wall() - bare.wall());
  constexpr const char* names[] = {"", "at 100,000 entries instead of 10",
                                   "in a home of 10,000 sessions instead of 10"};
  for (const std::size_t i : {1u, 2u})
    std::printf("append %s: x%.2f on the clock, x%.2f of the processor (%.0f us)\n", names[i],
                ours[i].wall() / ours[0].wall(), ours[i].cpu() / ours[0].cpu(), ours[i].cpu());
}

// In a process of its own, so that its memory is its own: prints microseconds and kilobytes.
void open_for_the_prompt(const std::string& home) {
  Middle opening;
  for (int round = 0; round < 21; ++round)
    opening.measure([&] {
      store::SessionStore store = store_in(home);
      const std::optional<Id> session = store.presence().last_used("/w");
      if (!session) std::abort();
      const auto record = store.open(*session);
      if (store.path(*session, *record.state.head, 50)->entries.size() != 50) std::abort();
    });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%f %ld\n", opening.wall(), usage.ru_maxrss);
}

void bench_open(const std::string& self, std::size_t entries) {
  double us[2] = {};
  long kilobytes[2] = {};
  std::uintmax_t bytes = 0;
  for (const bool large : {false, true}) {
    const LargeHome home(1, large ? entries : 100, 690);
    bytes = std::filesystem::file_size(home.transcript());
    {
      store::SessionStore store = store_in(home.path);
      if (!store.sessions().open(home.session)) std::abort();
      store.presence().remember(home.session, "/w");
    }
    FILE* child = ::popen((self + " open-one " + home.path.string()).c_str(), "r");
    if (child == nullptr || std::fscanf(child, "%lf %ld", &us[large], &kilobytes[large]) != 2)
      std::abort();
    ::pclose(child);
  }
  std::printf(
      "open for the prompt: %.0f us with %zu entries (%ju MB) = x%.2f that with 100 (%.0f us); "
      "memory %.1f MB, %+.1f MB\n",
      us[1], entries, bytes / 1'000'000, us[1] / us[0], us[0],
      static_cast<double>(kilobytes[1]) / 1e3,
      static_cast<double>(kilobytes[1] - kilobytes[0]) / 1e3);
}

void bench_scan() {
  const LargeHome home(1, 100'000, 640);
  const Id session = home.session;
  store::SessionStore store = store_in(home.path);
  const std::string bytes = read_file(home.transcript());

  const double newlines = best_cpu_us(9, [&] {
    std::size_t count = 0;
    for (const char *at = bytes.data(), *end = at + bytes.size(); at < end; ++count) {
      at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      if (at == nullptr) break;
      ++at;
    }
    if (count != 100'001) std::abort();
  });
  const Id head = *store.open(session).state.head;
  const double ours = best_cpu_us(9, [&] {
    if (store.tree(session)->find(head) == nullptr) std::abort();
  });
  const double dom = best_cpu_us(1, [&] {
    std::size_t count = 0;
    for (std::string_view rest = bytes; !rest.empty(); ++count) {
      const std::size_t length = rest.find('\n') + 1;
      if (nlohmann::json::parse(rest.substr(0, length)).size() < 5) std::abort();
      rest.remove_prefix(length);
    }
  });
  std::printf(
      "scan, verify and tree of 100,000 entries, %zu MB: %.1f ms = x%.1f a newline pass (%.1f ms), "
      "nlohmann on every line x%.1f\n",
      bytes.size() / 1'000'000, ours / 1e3, ours / newlines, newlines / 1e3, dom / ours);
}

void bench_list() {
  constexpr std::size_t sessions = 10'000;
  const LargeHome home(sessions, 1, 700);
  std::filesystem::remove(home.path / "sessions.json");
  const auto list = [&] {
    store::SessionStore store = store_in(home.path);
    if (store.list().size() != sessions) std::abort();
  };
  const double rebuild = best_cpu_us(1, list), listing = best_cpu_us(9, list);
  std::printf(
      "list 10,000 sessions: %.1f ms of CPU from the index; %.1f us a session when it is made "
      "anew\n",
      listing / 1e3, rebuild / static_cast<double>(sessions));
}

// By whatever name, against the one used last here, which needs no index; and the first page of a
// list. In turns, the middle of many.
void bench_name() {
  constexpr std::size_t sessions = 10'000;
  const LargeHome home(sessions, 1, 700);
  std::string key, id, title = "the one that is looked for";
  {
    store::SessionStore store = store_in(home.path);
    const store::SessionRecord wanted = store.list()[sessions / 2];
    key = wanted.key;
    id = to_string(wanted.header.session);
    if (!store.mark(wanted.header.session, model::payload::Title{title})) std::abort();
    store.presence().remember(wanted.header.session, "/w");
  }
  store_in(home.path).list();
  const auto open = [&](const std::string& name) {
    store::SessionStore store = store_in(home.path);
    const Id session =
        name.empty() ? *store.presence().last_used("/w") : store.find(name)->header.session;
    const auto record = store.open(session);
    if (store.path(session, *record.state.head, 50)->entries.empty()) std::abort();
  };
  Middle last, by[3], page;
  const std::string* const names[] = {&key, &id, &title};
  for (int round = 0; round < 41; ++round) {
    last.measure([&] { open({}); });
    for (std::size_t i = 0; i < 3; ++i) by[i].measure([&] { open(*names[i]); });
    page.measure([&] {
      store::SessionStore store = store_in(home.path);
      if (store.list({.limit = 50}).size() != 50) std::abort();
    });
  }
  std::printf(
      "open one of 10,000 sessions: by key %+.2f ms of CPU (%+.2f on the clock), by id %+.2f "
      "(%+.2f), by title %+.2f (%+.2f) beyond the one used last (%.2f)\n",
      (by[0].cpu() - last.cpu()) / 1e3, (by[0].wall() - last.wall()) / 1e3,
      (by[1].cpu() - last.cpu()) / 1e3, (by[1].wall() - last.wall()) / 1e3,
      (by[2].cpu() - last.cpu()) / 1e3, (by[2].wall() - last.wall()) / 1e3, last.cpu() / 1e3);
  std::printf("first page of 50 of 10,000 sessions: %.2f ms of CPU, %.2f on the clock\n",
              page.cpu() / 1e3, page.wall() / 1e3);
}

}  // namespace

// store_bench [append|scan|list|name|open [entries]]: all of them, or one.
int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "open-one" && argc > 2) return open_for_the_prompt(argv[2]), 0;
  if (what.empty() || what == "append") bench_append();
  if (what.empty() || what == "scan") bench_scan();
  if (what.empty() || what == "list") bench_list();
  if (what.empty() || what == "name") bench_name();
  if (what.empty() || what == "open")
    bench_open(argv[0], argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1'500'000);
}
