#include "app/bench/workload.h"

#include <algorithm>
#include <vector>

#include "app/signals.h"

namespace skein::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Workload table[] = {
    {"start", measure_start},   {"append", measure_append}, {"open", measure_open},
    {"search", measure_search}, {"list", measure_list},     {"popup", measure_popup},
};

double middle(std::vector<double>& all) {
  if (all.empty()) return 0;
  const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), half, all.end());
  return *half;
}

}  // namespace

std::span<const Workload> workloads() { return table; }

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

Middles in_turns(const SampleHome& home, int rounds, const std::function<void()>& ours,
                 const std::function<void()>& raw, const std::function<void()>& before) {
  const auto measure = [](const std::function<void()>& work, std::vector<double>& into) {
    const auto start = Clock::now();
    work();
    into.push_back(us_since(start));
  };
  std::vector<double> our_times, raw_times;
  const auto end = Clock::now() + home.size().patience;
  for (int round = 0; round < rounds && !app::stop_asked(); ++round) {
    before();
    measure(raw, raw_times);
    measure(ours, our_times);
    if (Clock::now() > end) break;
  }
  return {middle(our_times), middle(raw_times)};
}

}  // namespace skein::bench
