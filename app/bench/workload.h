// What `skein bench` measures: how long something takes skein, and how long the least that has to
// be done for it takes this machine, both in the same run and in turns.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/bench/sample_home.h"

namespace skein::bench {

struct Measured {
  double us = 0, raw_us = 0;
  std::string what{}, raw{};  // what was done, and against what, in a few words
};

struct Workload {
  std::string_view name;
  Measured (*measure)(const SampleHome& home);
};
std::span<const Workload> workloads();

Measured measure_start(const SampleHome& home);
Measured measure_append(const SampleHome& home);
Measured measure_open(const SampleHome& home);
Measured measure_search(const SampleHome& home);
Measured measure_list(const SampleHome& home);
Measured measure_popup(const SampleHome& home);

// Both again and again, in turns, so that a disk that is slow for a while is slow for both: at most
// `rounds` times, no longer than the home's size allows, and not after ^C. The middle of each, in
// microseconds. What `before` does ahead of each round is not measured.
struct Middles {
  double ours = 0, raw = 0;
};
Middles in_turns(
    const SampleHome& home, int rounds, const std::function<void()>& ours,
    const std::function<void()>& raw, const std::function<void()>& before = [] {});
double us_since(std::chrono::steady_clock::time_point start);

}  // namespace skein::bench
