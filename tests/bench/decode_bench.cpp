// How fast the bytes of a stream become a message, per wire format: the decoder alone, and with the
// assembler behind it. Reads of 16 KiB, as a socket gives them. Measured in processor time, so that
// a busy machine does not count against it.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "tests/support/replay.h"
#include "tests/support/streams.h"

using namespace skein;

namespace {

constexpr std::size_t read_size = 16 * 1024;

// Megabytes a second of processor time, the median of five runs.
template <class Run>
double speed(const std::string& body, const Run& run) {
  std::vector<double> speeds;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    run();
    const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    speeds.push_back(static_cast<double>(body.size()) / 1e6 / took);
  }
  std::ranges::nth_element(speeds, speeds.begin() + 2);
  return speeds[2];
}

}  // namespace

int main() {
  for (const wire::Codec* codec : {&wire::anthropic_messages, &wire::openai_chat,
                                   &wire::openai_responses, &wire::google_gemini}) {
    const std::string body = rendered(*codec, talk(20'000), model::Stop::tool_use);
    std::size_t deltas = 0;
    const double decoding = speed(body, [&] {
      wire::StreamDecoder decoder(*codec);
      deltas = 0;
      for (std::size_t at = 0; at < body.size(); at += read_size)
        deltas += decoder.feed(std::string_view(body).substr(at, read_size)).size();
    });
    model::Message message;
    const double whole = speed(body, [&] {
      Replay replay(*codec);
      for (std::size_t at = 0; at < body.size(); at += read_size)
        replay.feed(std::string_view(body).substr(at, read_size));
      message = replay.message();
    });
    std::printf("decode %-20s %6.1f MB/s, with assembly %6.1f MB/s (%.1f MB, %zu deltas, %s)\n",
                codec->name.data(), decoding, whole, static_cast<double>(body.size()) / 1e6, deltas,
                std::string(model::name(message.stop)).c_str());
  }
  return 0;
}
