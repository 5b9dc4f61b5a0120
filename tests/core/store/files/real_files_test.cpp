#include <doctest/doctest.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "core/store/files/files.h"
#include "core/text/io.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store::files;
using namespace skein::test;

namespace {

std::chrono::nanoseconds own_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

TEST_CASE("whoever waits for a lock sleeps, whatever there is on standard input") {
  const TempDir dir;
  const auto files = real_files(dir.path().string());
  const int holder = files->open("lock", OpenAs::locker),
            other = files->open("lock", OpenAs::locker);
  REQUIRE(files->lock(holder, 0) == 0);
  const Fd before(dup(STDIN_FILENO)), readable(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup2(readable.get(), STDIN_FILENO);

  const auto start = std::chrono::steady_clock::now();
  const auto cpu_before = own_cpu_time();
  CHECK(files->lock(other, 400) == -EBUSY);
  CHECK(own_cpu_time() - cpu_before < std::chrono::milliseconds(100));
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(400));

  dup2(before.get(), STDIN_FILENO);
  CHECK(files->unlock(holder) == 0);
  CHECK(files->lock(other, 0) == 0);
}

TEST_CASE("a process that takes a lock again and again does not keep others out") {
  const TempDir dir;
  const auto files = real_files(dir.path().string());
  std::atomic<bool> done{false}, started{false};
  std::thread busy([&] {
    const int file = files->open("lock", OpenAs::locker);
    while (!done) {
      CHECK(files->lock(file, 10'000) == 0);
      started = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      CHECK(files->unlock(file) == 0);
    }
    files->close(file);
  });
  const int file = files->open("lock", OpenAs::locker);
  while (!started) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < 20; ++round) {
    CHECK(files->lock(file, 10'000) == 0);
    CHECK(files->unlock(file) == 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the other has it again
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  done = true;
  busy.join();
}

TEST_CASE("a home that cannot be made says what is in the way, not that it is missing") {
  try {
    real_files("/sys/skein/home");
    FAIL("it was made");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("No such file") == std::string::npos);
  }
}
