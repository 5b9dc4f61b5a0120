// From exec to an editable prompt, in a home of 10,000 sessions whose current one is a gigabyte,
// and with ten MCP servers; the memory while it waits; and how soon Esc and ^C end a turn on a
// server that says nothing. And a Tab in bash behind `skein -s main:`. argv: [sessions [entries]].
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/store/home/file_backend.h"
#include "tests/support/large_home.h"
#include "tests/support/loopback_server.h"
#include "tests/support/process.h"
#include "tests/support/pty.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string proc(pid_t process, const char* file) {
  return read_file("/proc/" + std::to_string(process) + "/" + file);
}
double cpu_ms(pid_t process) {  // the scheduler's own count, in nanoseconds
  return std::stod(proc(process, "schedstat")) / 1e6;
}
double resident_mb(pid_t process) {
  std::istringstream status(proc(process, "status"));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

struct Start {
  double wall = 1e9, cpu = 1e9, memory = 0;
};

// The best of several: what else the machine does only adds.
Start best_start(const std::string& folder, const std::vector<std::string>& words) {
  Start best;
  for (int i = 0; i < 20; ++i) {
    Pty pty;
    const auto start = Clock::now();
    const pid_t skein = pty.start_skein(folder, words);
    const auto ready = [](const std::string& all) {
      const std::size_t opened = all.find("main:cli:user ·");
      return opened != std::string::npos && all.find("› ", opened) != std::string::npos;
    };
    if (!ready(pty.shown(ready))) throw Error("no prompt");
    pty.forget();
    pty.type("~");
    if (!pty.shows("~")) throw Error("no echo");
    best.wall = std::min(best.wall, ms_since(start));
    best.cpu = std::min(best.cpu, cpu_ms(skein));
    pty.shown([](const std::string&) { return false; }, 300);
    best.memory = std::max(best.memory, resident_mb(skein));
    pty.type("\x15\x04");
    pty.status_of(skein);
  }
  return best;
}

// The function that bash calls for a Tab, from its beginning to its end; the best of several.
void bench_tab(const LargeHome& home, const std::string& what) {
  if (!is_installed("bash")) return;
  const Finished done =
      run({.words = {"bash", "--norc", "-c",
                     "PATH=$1:$PATH SKEIN_HOME=$2; export PATH SKEIN_HOME\n"
                     "source <(skein completion bash)\n"
                     "COMP_LINE='skein -s main:' COMP_POINT=14\n"
                     "for i in {1..20}; do\n"
                     "  start=${EPOCHREALTIME/[.,]/}; _skein skein '' :\n"
                     "  echo $((${EPOCHREALTIME/[.,]/} - start)) ${#COMPREPLY[@]}\n"
                     "done",
                     "bash", std::filesystem::path(skein_executable()).parent_path().string(),
                     home.path.string()}});
  std::istringstream lines(done.out);
  double best = 1e9, offered = 0;
  for (double took = 0; lines >> took >> offered;) best = std::min(best, took / 1000);
  if (offered == 0) throw Error("Tab offers nothing: " + done.err);
  std::printf("Tab in bash %s: %.1f ms, %.0f offered\n", what.c_str(), best, offered);
}

// Which take what they are told and never answer.
std::string ten_servers() {
  std::string out;
  for (int i = 0; i < 10; ++i)
    out += (out.empty() ? "" : ",") + std::string("\"s") + std::to_string(i) +
           R"(": {"command": "sh", "args": ["-c", "while read line; do :; done"]})";
  return R"({"mcpServers": {)" + out + "}}";
}

void bench_start(const LargeHome& home, const std::string& what) {
  store::SessionStore(
      std::make_unique<store::home::FileBackend>(store::files::real_files(home.path.string())))
      .list();
  const std::string folder = home.dir.path().string();
  const std::string servers = folder + "/servers.json";
  write_file(servers, ten_servers());
  const std::pair<const char*, std::vector<std::string>> ways[] = {
      {"by its key", {"-s", "main:cli:user"}},
      {"where one was", {}},
      {"and ten MCP servers", {"-s", "main:cli:user", "--mcp-config", servers}}};
  double alone = 0;  // without servers
  for (const auto& [way, words] : ways) {
    const Start best = best_start(folder, words);
    if (alone == 0) alone = best.wall;
    std::printf("start %s, %s: %.1f ms to the echo, %.1f ms of processor, %.1f MB idle\n",
                what.c_str(), way, best.wall, best.cpu, best.memory);
    if (words.size() > 2)
      std::printf("with ten MCP servers the prompt takes %.2f times as long\n", best.wall / alone);
  }
  bench_tab(home, what);
}

// From the key to the word that it was stopped.
double stop_ms(const std::string& folder, const std::string& url, std::string_view key) {
  Pty pty;
  const pid_t skein =
      pty.start_skein(folder, {"--no-session", "-m", "ollama/silent", "--base-url", url});
  if (!pty.shows("› ")) throw Error("no prompt");
  pty.type("go\r");
  if (!pty.shows("Ctrl+C stops")) throw Error("no turn");
  const auto start = Clock::now();
  pty.type(key);
  if (!pty.shows("stopped")) throw Error("not stopped");
  const double took = ms_since(start);
  kill(skein, SIGTERM);
  pty.status_of(skein);
  return took;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t sessions = argc > 1 ? std::stoul(argv[1]) : 10'000;
  const std::size_t entries = argc > 2 ? std::stoul(argv[2]) : 1'500'000;
  const LargeHome small(1, 8, 700, "main:cli:user");
  bench_start(small, "with one session");
  bench_start(LargeHome(sessions, entries, 690, "main:cli:user"),
              "with " + std::to_string(sessions) + " sessions, " + std::to_string(entries) +
                  " entries in it");

  LoopbackServer silent([](Connection& peer) {
    peer.request();
    peer.begin_stream();
    peer.wait_until_closed();
  });
  for (const auto& [name, key] : {std::pair{"Esc", "\x1b"}, std::pair{"^C", "\x03"}}) {
    double best = 1e9, worst = 0;
    for (int i = 0; i < 10; ++i) {
      const double took = stop_ms(small.dir.path().string(), silent.url(), key);
      best = std::min(best, took);
      worst = std::max(worst, took);
    }
    std::printf("stop on a silent server, %s: %.1f ms, at worst %.1f ms\n", name, best, worst);
  }
}
