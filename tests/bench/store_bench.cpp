// The store against the least that has to be done: one line per workload, ratios in one run.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/store/file_backend.h"
#include "core/store/seal.h"
#include "core/store/session_store.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
double best_us(int rounds, Work work) {
  double best = 1e18;
  for (int i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  return best;
}

// Of processor time: for work that waits for nothing, whatever else the machine does.
template <class Work>
double best_cpu_us(int rounds, Work work) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
  };
  double best = 1e18;
  for (int i = 0; i < rounds; ++i) {
    const double start = now();
    work();
    best = std::min(best, now() - start);
  }
  return best;
}

template <class Work>
double median_us(int rounds, Work work) {
  std::vector<double> all;
  for (int i = 0; i < rounds; ++i) all.push_back(best_us(1, work));
  std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
  return all[static_cast<std::size_t>(rounds / 2)];
}

double cpu_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

NewEntry entry_of_size(std::size_t bytes) {
  return {message_entry(user_message(std::string(bytes > 250 ? bytes - 250 : 10, 'x')))};
}

SessionStore store_in(const TempDir& dir) {
  return SessionStore(std::make_unique<FileBackend>(real_files((dir / "home").string())));
}

Id make_session(SessionStore& store, const std::string& key) {
  return std::get<SessionHandle>(store.create_session({.key = key, .cwd = "/tmp"})).session_id;
}

// Many entries, each a batch of its own as in a real conversation, without waiting for the disk.
void fill(const std::filesystem::path& transcript, Id session, std::size_t entries,
          std::size_t bytes) {
  std::string text = read_file(transcript);
  const std::uint32_t seed = seal_seed(session);
  std::uint32_t previous = read_line(std::string_view(text).substr(0, text.find('\n')))->seal.crc;
  std::ofstream out(transcript, std::ios::binary | std::ios::app);
  text.clear();
  std::optional<Id> parent;
  for (std::size_t i = 0; i < entries; ++i) {
    Entry entry = entry_of_size(bytes).entry;
    entry.parent = std::exchange(parent, entry.id);
    const SealedBatch batch = seal_batch(std::span(&entry, 1), seed, previous);
    previous = batch.last_crc;
    text += batch.bytes;
    if (text.size() > (1u << 24) || i + 1 == entries) {
      out << text;
      text.clear();
    }
  }
}

std::filesystem::path transcript_in(const TempDir& dir, Id session) {
  return dir / "home" / transcript_path(session);
}

double append_us(SessionStore& store, Id session) {
  const auto append = [&] {
    const NewEntry entry = entry_of_size(700);
    if (std::holds_alternative<Failure>(
            store.append_session_entries(session, std::span(&entry, 1))))
      std::abort();
  };
  append();
  return median_us(300, append);
}

void bench_append() {
  TempDir dir;
  SessionStore store = store_in(dir);
  const Id small = make_session(store, "main:bench:small"),
           large = make_session(store, "main:bench:large");
  fill(transcript_in(dir, small), small, 10, 700);
  fill(transcript_in(dir, large), large, 100'000, 700);

  const int fd = ::open((dir / "bare").c_str(), O_RDWR | O_CREAT | O_APPEND, 0600);
  const std::string bytes(700, 'x');
  const double bare = median_us(300, [&] {
    if (::write(fd, bytes.data(), bytes.size()) < 0 || ::fdatasync(fd) < 0) std::abort();
  });
  ::close(fd);
  const double at_10 = append_us(store, small), at_100k = append_us(store, large);
  std::printf(
      "append 700 B + sync: bare %.0f us, ours %.0f us (x%.2f, +%.0f us); at 100,000 entries %.0f "
      "us (x%.2f)\n",
      bare, at_10, at_10 / bare, at_10 - bare, at_100k, at_100k / at_10);

  for (int i = 0; i < 10'000; ++i) {
    const std::string name = to_string(random_id());
    write_file(dir / ("home/transcripts/" + name + ".jsonl"), "");
  }
  const double crowded = append_us(store, small);
  std::printf("append with 10,000 more files in the home: %.0f us (x%.2f)\n", crowded,
              crowded / at_10);
}

double open_us(const std::string& home, Id session) {
  return median_us(21, [&] {
    SessionStore store(std::make_unique<FileBackend>(real_files(home)));
    if (store.last_used("/w") != session) std::abort();
    const auto record = std::get<SessionRecord>(store.open(session));
    const auto path = std::get<Path>(store.path(session, *record.state.head, 50));
    if (path.entries.size() != 50) std::abort();
  });
}

void bench_open(std::size_t entries) {
  double times[2];
  long memory[2];
  for (const bool large : {false, true}) {
    TempDir dir;
    Id session;
    {
      SessionStore store = store_in(dir);
      session = make_session(store, "main:bench:open");
      fill(transcript_in(dir, session), session, large ? entries : 100, 700);
      if (std::holds_alternative<Failure>(store.open(session))) std::abort();
      store.remember(session, "/w");
    }
    times[large] = open_us((dir / "home").string(), session);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    memory[large] = usage.ru_maxrss;
  }
  std::printf("open for the prompt: 100 entries %.0f us, %zu entries (%zu MB) %.0f us (x%.2f)\n",
              times[0], entries, entries * 700 / 1'000'000, times[1], times[1] / times[0]);
  (void)memory;
}

void bench_scan() {
  TempDir dir;
  SessionStore store = store_in(dir);
  const Id session = make_session(store, "main:bench:scan");
  const auto file = transcript_in(dir, session);
  fill(file, session, 100'000, 640);
  const std::string bytes = read_file(file);

  const double newlines = best_cpu_us(9, [&] {
    std::size_t count = 0;
    for (const char *at = bytes.data(), *end = at + bytes.size(); at < end; ++count) {
      at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      if (at == nullptr) break;
      ++at;
    }
    if (count != 100'001) std::abort();
  });
  const Id head = *std::get<SessionRecord>(store.open(session)).state.head;
  const double ours = best_cpu_us(9, [&] {
    if (std::get<Tree>(store.tree(session)).find(head) == nullptr) std::abort();
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
  TempDir dir;
  const std::size_t sessions = 10'000;
  std::filesystem::create_directories(dir / "home/transcripts");
  std::filesystem::permissions(dir / "home", std::filesystem::perms::owner_all);
  for (std::size_t i = 0; i < sessions; ++i) {
    const SessionHeader header{.session = random_id(),
                               .key = "main:bench:" + std::to_string(i),
                               .cwd = "/tmp",
                               .created_at = now_utc()};
    const Entry first = header_entry(header);
    const SealedBatch start = seal_batch(std::span(&first, 1), seal_seed(header.session), 0);
    const Entry entry = entry_of_size(700).entry;
    write_file(
        dir / ("home/transcripts/" + to_string(header.session) + ".jsonl"),
        start.bytes +
            seal_batch(std::span(&entry, 1), seal_seed(header.session), start.last_crc).bytes);
  }
  double before = cpu_ms();
  {
    SessionStore store = store_in(dir);
    if (store.list().size() != sessions) std::abort();
  }
  const double rebuild = cpu_ms() - before;
  double listing = 1e9;
  for (int i = 0; i < 9; ++i) {
    before = cpu_ms();
    SessionStore store = store_in(dir);
    if (store.list().size() != sessions) std::abort();
    listing = std::min(listing, cpu_ms() - before);
  }
  std::printf(
      "list 10,000 sessions: %.1f ms of CPU from the index; %.1f us a session when it is made "
      "anew\n",
      listing, rebuild * 1e3 / static_cast<double>(sessions));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "scan") return bench_scan(), 0;
  if (argc > 1 && std::string_view(argv[1]) == "list") return bench_list(), 0;
  bench_append();
  bench_scan();
  bench_list();
  bench_open(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'500'000);
}
