// What happens to a long session as a whole: a fork at its end, a snapshot and the way back, an
// archive. One line per workload; the least that has to be done in the same run beside it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/store/log/new_transcript.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;

namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
double median_ms(int rounds, Work work) {
  std::vector<double> all;
  for (int i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    work();
    all.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::ranges::nth_element(all, all.begin() + rounds / 2);
  return all[static_cast<std::size_t>(rounds / 2)];
}

// As an agent writes one: a prompt, an answer with its usage, a result, and again.
model::Entry nth_entry(std::size_t number, std::size_t bytes) {
  const std::string text(bytes, 'x');
  model::Message message = model::user_message(text);
  if (number % 3 == 1) {
    message.role = model::Role::assistant;
    message.provider = "offline";
    message.model = "demo";
    message.stop = model::Stop::tool_use;
    message.usage = model::Usage{100, 10, 50, 5, 0};
    message.duration_ms = 12;
    message.content.emplace_back(model::ToolUse{"call", "read"});
  } else if (number % 3 == 2) {
    message = model::Message{.role = model::Role::tool,
                             .content = {model::ToolResult{"call", {model::Text{text}}}}};
  }
  return model::message_entry(message);
}

// In the middle it may go back by one entry and on from there.
enum class Shape { straight, branched };

Id long_session(const std::string& home, std::size_t entries, std::size_t bytes, Shape shape) {
  store_at(home);
  const std::unique_ptr<store::files::Files> files = store::files::real_files(home);
  const store::SessionHeader header{
      .session = random_id(), .key = "main:bench:long", .cwd = "/", .created_at = now_utc()};
  store::log::NewTranscript transcript(*files, header, "the bench");
  std::optional<Id> parent, before;
  for (std::size_t i = 0; i < entries; ++i) {
    model::Entry entry = nth_entry(i, bytes);
    if (shape == Shape::branched && i == entries / 2) parent = before;
    entry.parent = before = std::exchange(parent, entry.id);
    transcript.add(entry);
  }
  if (!transcript.link_into_place()) std::abort();
  return header.session;
}

double bare_write_ms(const TempDir& dir, std::uint64_t bytes) {
  const std::string block(1u << 20, 'x');
  return median_ms(5, [&] {
    const int fd = ::open((dir / "bare").c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (std::uint64_t at = 0; at < bytes; at += block.size())
      if (::write(fd, block.data(), block.size()) < 0) std::abort();
    if (::fdatasync(fd) < 0) std::abort();
    ::close(fd);
  });
}

struct LongSession {
  TempDir dir{};
  std::string home = (dir / "home").string();
  Id session;
  store::SessionStore store;

  LongSession(std::size_t entries, std::size_t text, Shape shape)
      : session(long_session(home, entries, text, shape)), store(store_at(home)) {}
};

void bench_fork(LongSession& at, const char* of) {
  const store::SessionRecord record = at.store.open(at.session);
  const Id head = record.state.head.value();
  const double bare = bare_write_ms(at.dir, record.bytes);
  const double fork = median_ms(11, [&] {
    const Id made = value_of(at.store.branch_from_entry(at.session, head)).session_id;
    if (at.store.open(made).state.head != head) std::abort();
  });
  std::printf("fork at the end of %ld %sentries, %.0f MB: %.1f ms = x%.1f writing so many bytes\n",
              static_cast<long>(record.state.entries), of, static_cast<double>(record.bytes) / 1e6,
              fork, fork / bare);
}

void bench_life(LongSession& at) {
  const Id session = at.session;
  store::SessionStore& store = at.store;
  const double append =
      median_ms(51, [&] { skein::test::append(store, session, {user_says("on")}); });
  int number = 0;
  const auto name = [&] { return "name" + std::to_string(number++ % 3); };
  const double snapshot = median_ms(51, [&] {
    value_of(
        store.mark(session, model::payload::Snapshot{name(), *store.open(session).state.head}));
  });
  const double rollback = median_ms(51, [&] { value_of(store::rollback(store, session, name())); });
  std::printf("in it: append %.2f ms, snapshot %+.2f ms, rollback %+.2f ms beside it\n", append,
              snapshot - append, rollback - append);

  const double archive = median_ms(1, [&] {
    if (!store.life_cycle().archive(session)) std::abort();
  });
  const double packed = static_cast<double>(store.open(session).bytes) / 1e6;
  const double open = median_ms(3, [&] { (void)store_at(at.home).open(session); });
  const double unarchive = median_ms(1, [&] {
    if (!store.life_cycle().unarchive(session)) std::abort();
  });
  std::printf("archive %.0f ms (%.1f MB), opened packed %.0f ms, unarchive %.0f ms\n", archive,
              packed, open, unarchive);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t entries = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000;
  for (const std::size_t text : {40, 400}) {
    LongSession straight(entries, text, Shape::straight);
    bench_fork(straight, "");
    bench_life(straight);
    LongSession branched(entries, text, Shape::branched);
    bench_fork(branched, "branched ");
  }
}
