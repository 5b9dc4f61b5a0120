#include "core/mcp/server.h"

#include <doctest/doctest.h>

#include <array>
#include <optional>

#include "core/text/wait.h"

using namespace skein;
using namespace skein::mcp;

namespace {

// A call that runs until it is released or stopped. Must outlive the queue.
struct HeldCall {
  Signal begun{cannot_wait}, released{cannot_wait};
  std::atomic<bool> stopped{false};

  CallQueue::Call call(const std::string& id, const std::string& series = {}) {
    return {
        .id = id, .progress_token = id, .series = series, .run = [this, id](const CallStop& stop) {
          return run(id, stop);
        }};
  }
  void wait_until_begun() const { wait(begun.fd(), no_deadline); }
  bool has_begun() const { return is_readable(begun.fd()); }

 private:
  JsonText run(const std::string& id, const CallStop& stop) {
    begun.raise();
    std::array<pollfd, 2> fds{{{released.fd(), POLLIN, 0}, {stop.wake_fd, POLLIN, 0}}};
    while (!stopped && !is_readable(released.fd())) {
      wait(fds, no_deadline);
      stopped = stop.asked();
    }
    return "done " + id;
  }
};

std::vector<JsonText> next_responses(CallQueue& queue) {
  wait(queue.fd(), no_deadline);
  return queue.responses();
}

using Texts = std::vector<JsonText>;

}  // namespace

TEST_CASE("so many calls run at the same time, and the next one waits for the end of one") {
  HeldCall first, second, third;
  CallQueue queue(2);
  queue.add(first.call("1"));
  queue.add(second.call("2"));
  queue.add(third.call("3"));
  first.wait_until_begun();
  second.wait_until_begun();
  const Texts progress = queue.progress();
  REQUIRE(progress.size() == 3);
  CHECK(progress[1].find("running") != std::string::npos);
  CHECK(progress[2].find("waiting") != std::string::npos);
  second.released.raise();
  CHECK(next_responses(queue) == Texts{"done 2"});
  third.wait_until_begun();
  third.released.raise();
  CHECK(next_responses(queue) == Texts{"done 3"});
  CHECK_FALSE(queue.empty());
}

TEST_CASE("calls of one series run one after the other, and hold up no other") {
  HeldCall first, second, other;
  CallQueue queue(3);
  queue.add(first.call("1", "s"));
  queue.add(second.call("2", "s"));
  queue.add(other.call("3", "t"));
  first.wait_until_begun();
  other.wait_until_begun();
  CHECK_FALSE(second.has_begun());
  first.released.raise();
  second.wait_until_begun();
  CHECK(next_responses(queue) == Texts{"done 1"});
}

TEST_CASE("a cancelled call ends without a response, and no other call does") {
  HeldCall first, second, waiting, last;
  CallQueue queue(2);
  queue.add(first.call("1"));
  queue.add(second.call("2", "s"));
  queue.add(waiting.call("3", "s"));
  first.wait_until_begun();
  second.wait_until_begun();
  queue.cancel("3");
  queue.cancel("1");
  queue.add(last.call("4"));
  last.wait_until_begun();
  CHECK(first.stopped);
  CHECK_FALSE(second.stopped);
  CHECK(queue.responses().empty());
  CHECK(queue.progress().size() == 2);
  second.released.raise();
  CHECK(next_responses(queue) == Texts{"done 2"});
  CHECK_FALSE(waiting.has_begun());
}

TEST_CASE("the end of the queue ends the calls that run and those that wait") {
  HeldCall first, second;
  std::optional<CallQueue> queue(1);
  queue->add(first.call("1"));
  queue->add(second.call("2"));
  first.wait_until_begun();
  queue.reset();
  CHECK(first.stopped);
  CHECK_FALSE(second.has_begun());
}

TEST_CASE("each progress notification has the token of its call and a higher number") {
  HeldCall first;
  CallQueue queue(1);
  queue.add(first.call(R"("a")"));
  CallQueue::Call silent = first.call("2");
  silent.progress_token = "null";
  queue.add(silent);
  first.wait_until_begun();
  for (const char* number : {"1", "2"}) {
    const Texts sent = queue.progress();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].find(R"("progressToken":"a")") != std::string::npos);
    CHECK(sent[0].find(std::string(R"("progress":)") + number) != std::string::npos);
  }
}
