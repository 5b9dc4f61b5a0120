// Search over 1 GB in 10,000 sessions against `rg -c` over the same files, in the same run: one
// line per workload.
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/model/message.h"
#include "core/search/search.h"
#include "core/store/home/file_backend.h"
#include "core/store/log/line_codec.h"
#include "core/store/log/log_reader.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

template <class Work>
double best_ms(int rounds, Work work) {
  double best = 1e18;
  for (int i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  return best;
}

// Prose and code in which some words are everywhere and others nearly nowhere.
class Author {
 public:
  Author() {
    for (int i = 0; i < 20'000; ++i) {
      std::string word;
      for (std::size_t length = 2 + dice_() % 9; word.size() < length;)
        word += "etaoinsrhldcumfpgwybvkxjqz"[std::min(dice_() % 26, dice_() % 26)];
      words_.push_back(word);
    }
    constexpr std::string_view common[] = {"the", "of", "file", "error", "return", "const"};
    std::copy(std::begin(common), std::end(common), words_.begin());
    while (pool_.size() < (8u << 20)) pool_ += words_[common_first()] + separator();
  }
  std::string text(std::size_t bytes) {
    const std::size_t at = pool_.find(' ', dice_() % (pool_.size() - bytes - 100));
    std::string out = pool_.substr(at + 1, bytes);
    if (dice_() % 50 == 0) out += " 会话搜索的速度";
    if (dice_() % 5'000 == 0) out += " Quetzalcoatl";
    return out;
  }
  std::size_t number(std::size_t below) { return dice_() % below; }

 private:
  // Like in a language: the n-th word is about 1/n as frequent as the first.
  std::size_t common_first() {
    const double part = static_cast<double>(dice_() % 1'000'000) / 1e6;
    return static_cast<std::size_t>(std::pow(static_cast<double>(words_.size()), part)) - 1;
  }
  std::string separator() {
    constexpr const char* signs[] = {" ", " ", " ", " ", " ", ", ", ". ", "\n", "(\"", ");\n  "};
    return signs[dice_() % std::size(signs)];
  }

  std::mt19937_64 dice_{1};
  std::vector<std::string> words_{};
  std::string pool_{};
};

model::Entry next_entry(Author& author, std::size_t step) {
  using namespace model;
  switch (step % 4) {
    case 0: return message_entry(user_message(author.text(40 + author.number(300))));
    case 1:
      return message_entry({.role = Role::assistant,
                            .content = {Thinking{author.text(600)}, Text{author.text(300)},
                                        ToolUse{"c", "read", R"({"path":"src/main.cpp"})"}},
                            .provider = "anthropic",
                            .model = "claude"});
    case 2:
      return message_entry(
          {.role = Role::tool,
           .content = {ToolResult{"c", {Text{author.text(500 + author.number(8'000))}}}}});
    default:
      return message_entry({.role = Role::assistant,
                            .content = {Text{author.text(200 + author.number(2'000))}},
                            .provider = "anthropic",
                            .model = "claude"});
  }
}

void make_session(const fs::path& home, Author& author, std::size_t number, std::size_t bytes) {
  const Id session = random_id();
  // One after the other, an hour apart, up to now.
  const std::string time =
      utc_from_ms(now_ms() - (10'000 - static_cast<std::int64_t>(number)) * 3'600'000);
  const std::uint32_t seed = store::log::seal_seed(session);
  std::uint32_t last = 0;
  std::string out;
  const auto add = [&](const model::Entry& entry) {
    const auto batch = store::log::seal_batch(std::span(&entry, 1), seed, last);
    out += batch->bytes;
    last = batch->last_crc;
  };
  add(store::log::header_entry({.session = session,
                                .key = "main:bench:" + std::to_string(number),
                                .cwd = "/work",
                                .created_at = time}));
  std::optional<Id> parent;
  for (std::size_t step = 0; out.size() < bytes; ++step) {
    model::Entry entry = next_entry(author, step);
    entry.parent = parent;
    entry.timestamp = time;
    parent = entry.id;
    add(entry);
  }
  std::ofstream(home / store::log::transcript_path(session), std::ios::binary) << out;
}

void make_home(const fs::path& home, std::size_t sessions, std::size_t bytes) {
  fs::create_directories(home / "transcripts");
  for (const auto& folder : {home, home / "transcripts"})
    fs::permissions(folder, fs::perms::owner_all);
  Author author;
  for (std::size_t i = 0; i < sessions; ++i) make_session(home, author, i, bytes);
}

store::SessionStore store_in(const fs::path& home) {
  return store::SessionStore(
      std::make_unique<store::home::FileBackend>(store::files::real_files(home.string())));
}

void bench(const fs::path& home, const char* what, const char* words, const char* for_rg) {
  const search::Request request{.query = search::parse_query(words)};
  const double first = best_ms(5, [&] {
    store::SessionStore store = store_in(home);
    search::search_newest(store, request, [](const search::SessionHits&) { return true; });
  });
  std::size_t found = 0;
  const double all = best_ms(5, [&] {
    store::SessionStore store = store_in(home);
    found = search::search_ranked(store, request).outcome.found;
  });
  const std::string command =
      "rg -c '" + std::string(for_rg) + "' '" + (home / "transcripts").string() + "' >/dev/null";
  const double rg = best_ms(5, [&] {
    const int status = std::system(command.c_str());
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {  // 1: it found nothing
      std::puts("rg cannot be run; on Debian it is ripgrep");
      std::exit(1);
    }
  });
  std::printf("%s: first page %.0f ms; all %zu ranked in %.0f ms = x%.2f rg -c (%.0f ms)\n", what,
              first, found, all, all / rg, rg);
  std::fflush(stdout);
}

}  // namespace

// search_bench [sessions [bytes of each]]
int main(int argc, char** argv) {
  const std::size_t sessions = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000;
  const std::size_t bytes = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100'000;
  const TempDir dir;
  const fs::path home = dir / "home";
  make_home(home, sessions, bytes);
  const double listing = best_ms(1, [&] { store_in(home).list(); });
  const double again = best_ms(5, [&] { store_in(home).list(); });
  std::printf("list %zu sessions: %.0f ms from the index, %.0f ms when it is made\n", sessions,
              again, listing);
  bench(home, "common word", "the", "the");
  bench(home, "rare word", "quetzalcoatl", "Quetzalcoatl");
  bench(home, "word that is nowhere", "xylophonist", "xylophonist");
  bench(home, "two common words", "the error", "error");
  bench(home, "phrase", "\"of the\"", "of the");
  bench(home, "Chinese", "搜索", "搜索");
  bench(home, "pattern", "re:quetz.*tl", "(?i)quetz.*tl");
}
