// skein bench: how fast skein is on this machine and this disk, against the least that has to be
// done. Nothing of the user's is touched.
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "app/bench/workload.h"
#include "app/home.h"
#include "app/signals.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/text/amounts.h"
#include "core/text/json.h"

namespace skein::verbs {

namespace {

// Three digits: 0.061 ms, 12.3 ms, 1234 ms.
std::string milliseconds(double us) {
  const double ms = us / 1000;
  char text[48];
  std::snprintf(text, sizeof text, "%.*f ms", ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0, ms);
  return text;
}

std::string times(double ratio) {
  char text[48];
  std::snprintf(text, sizeof text, "x%.*f", ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio);
  return text;
}

void print_measured(std::string_view name, const bench::Measured& measured) {
  print_line(pad(std::string(name), 8) + pad(milliseconds(measured.us), 10) +
             pad(times(measured.us / measured.raw_us), 7) + measured.what + "; " + measured.raw +
             " takes " + milliseconds(measured.raw_us));
  std::fflush(stdout);
}

}  // namespace

int bench(const app::Invocation& invocation) try {
  app::catch_signals();
  const bool quick = invocation.has("--quick");
  if (isatty(STDERR_FILENO) == 1) tell_user("making sessions to measure with …");
  const bench::SampleHome home(app::home_folder(invocation),
                               quick ? bench::quick : bench::SampleSize{});
  Json all = Json::array();
  for (const bench::Workload& workload : bench::workloads()) {
    if (app::stop_asked()) break;
    const bench::Measured measured = workload.measure(home);
    if (app::stop_asked()) break;
    all.push_back({{"name", workload.name},
                   {"us", measured.us},
                   {"raw_us", measured.raw_us},
                   {"ratio", measured.us / measured.raw_us},
                   {"what", measured.what},
                   {"raw", measured.raw}});
    if (!invocation.has("--json")) print_measured(workload.name, measured);
  }
  if (app::stop_asked()) {
    tell_user("stopped; the temporary home is removed");
    return app::interrupted_status;
  }
  if (invocation.has("--json"))
    print_json(dump({{"folder", home.folder().parent_path().string()},
                     {"quick", quick},
                     {"sessions", home.size().sessions},
                     {"entries", home.size().entries},
                     {"workloads", std::move(all)}}));
  return 0;
} catch (const std::filesystem::filesystem_error& error) {
  throw Error(error.what(), ExitStatus::storage);
}

}  // namespace skein::verbs
