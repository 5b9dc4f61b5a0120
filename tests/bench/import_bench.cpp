// What it costs to bring in another program's sessions, against copying the same files with an
// fsync each. One line; the ratio is of one run. An argument says how many megabytes.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/import/import_files.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Sessions as Claude Code writes them: a prompt, then three answers with thinking, words and a
// call, each in a line of its own, and the call's result twice.
class ClaudeSession {
 public:
  explicit ClaudeSession(int number) : id_("bench-" + std::to_string(number)) {}

  std::string turn() {
    std::string out = line("user", Json{{"role", "user"}, {"content", words_.substr(0, 180)}});
    for (int call = 0; call < 3; ++call) {
      const std::string name = "toolu_" + std::to_string(lines_);
      for (const Json& block : {Json{{"type", "thinking"},
                                     {"thinking", words_.substr(0, 400)},
                                     {"signature", std::string(400, 'S')}},
                                Json{{"type", "text"}, {"text", words_.substr(0, 300)}},
                                Json{{"type", "tool_use"},
                                     {"id", name},
                                     {"name", "Read"},
                                     {"input", {{"file_path", "/home/me/x.py"}}}}})
        out += line("assistant", Json{{"id", "msg_" + name},
                                      {"role", "assistant"},
                                      {"model", "claude-sonnet-5-5"},
                                      {"content", Json::array({block})},
                                      {"stop_reason", "tool_use"},
                                      {"usage", {{"input_tokens", 10}, {"output_tokens", 150}}}});
      const std::string result = words_.substr(0, call == 0 ? 200 : call == 1 ? 2'000 : 9'000);
      const Json block{{"type", "tool_result"}, {"tool_use_id", name}, {"content", result}};
      out += line("user", Json{{"role", "user"}, {"content", Json::array({block})}}, result);
    }
    return out;
  }
  const std::string& id() const { return id_; }

 private:
  std::string line(const char* type, Json message, const std::string& result = {}) {
    const std::string uuid = id_ + "-" + std::to_string(++lines_);
    Json out{{"parentUuid", last_.empty() ? Json() : Json(last_)},
             {"isSidechain", false},
             {"cwd", "/home/me/project"},
             {"sessionId", id_},
             {"version", "2.1.239"},
             {"type", type},
             {"message", std::move(message)},
             {"uuid", uuid},
             {"timestamp", utc_from_ms(1'790'000'000'000 + lines_ * 1'000)}};
    if (!result.empty()) out["toolUseResult"] = {{"file", {{"content", result}}}};
    last_ = uuid;
    return dump(out) + "\n";
  }

  static std::string long_words() {
    std::string out;
    while (out.size() < 10'000) out += "the quick brown fox reads \"files\" in 漢字 and\nlines; ";
    return out;
  }

  std::string id_, last_{};
  std::int64_t lines_ = 0;
  const std::string words_ = long_words();
};

void write_sessions(const fs::path& folder, std::uint64_t bytes) {
  fs::create_directories(folder);
  constexpr std::uint64_t each = 2'000'000;
  for (std::uint64_t written = 0, number = 0; written < bytes; ++number) {
    ClaudeSession session(static_cast<int>(number));
    std::ofstream out(folder / (session.id() + ".jsonl"));
    for (std::uint64_t size = 0; size < each;) {
      const std::string turn = session.turn();
      out << turn;
      size += turn.size();
      written += turn.size();
    }
  }
}

double copied(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  const auto start = Clock::now();
  for (const auto& file : fs::directory_iterator(from)) {
    const Fd in(::open(file.path().c_str(), O_RDONLY | O_CLOEXEC));
    const Fd out(
        ::open((to / file.path().filename()).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    read_pieces(in.get(), SIZE_MAX,
                [&](std::string_view piece) { return write_all(out.get(), piece); });
    fsync(out.get());
  }
  return seconds_since(start);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t megabytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  const TempDir dir;
  write_sessions(dir / "source", megabytes * 1'000'000);
  const double copy = copied(dir / "source", dir / "copy");
  store::SessionStore store = store_at((dir / "home").string());
  const auto start = Clock::now();
  std::size_t sessions = 0, entries = 0;
  std::uint64_t bytes = 0;
  for (const importers::ImportSource& source :
       importers::sources_in((dir / "source").string(), {})) {
    bytes += source.bytes;
    for (const importers::ImportedSession& each : importers::import_file(store, source, {})) {
      ++sessions;
      entries += each.added;
    }
  }
  const double import = seconds_since(start);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%zu sessions of %.0f MB, %zu entries: %.2f s, %.0f MB/s, %.1f x copying them with an fsync "
      "each (%.2f s); %.0f MB of memory\n",
      sessions, static_cast<double>(bytes) / 1e6, entries, import,
      static_cast<double>(bytes) / 1e6 / import, import / copy, copy,
      static_cast<double>(usage.ru_maxrss) / 1e3);
}
