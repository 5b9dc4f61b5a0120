// Streams 100 MB through each wire format: the memory this takes is the answer's and little more,
// however many events the answer comes in. An answer that is too long for an entry is stopped where
// it no longer fits, and what came is kept.
#include <fstream>
#include <sstream>

#include "providers/wire/answer_limit.h"
#include "tests/support/model_server.h"
#include "tests/support/sweep.h"

using namespace skein;
using namespace skein::test;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t stream_size = 100 * mebibyte;
constexpr std::size_t slack = 16 * mebibyte;  // buffers of the network, the heap's own rounding

// The highest resident memory since the last call, in bytes.
std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  std::size_t peak = 0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) std::istringstream(line.substr(6)) >> peak;
  std::ofstream("/proc/self/clear_refs") << 5;
  return peak * 1024;
}

struct Measured {
  std::size_t growth = 0, sent = 0, text = 0;
  model::Stop stop = model::Stop::stop;
};

Measured stream(const Dialect& dialect, std::size_t piece_size) {
  const std::string event = dialect.text(std::string(piece_size, 'x'));
  std::string batch;
  std::size_t text_in_batch = 0, batches = 0;
  for (; batch.size() < mebibyte / 4; text_in_batch += piece_size) batch += event;
  while (batches * batch.size() < stream_size) ++batches;
  ModelServer server(dialect, [&](Connection& peer, int) {
    peer.begin_stream();
    if (!dialect.begin.empty()) peer.chunk(dialect.begin);
    for (std::size_t i = 0; i < batches; ++i) peer.chunk(batch);
    peer.chunk(dialect.end);
    peer.end_stream();
  });
  server.keep_events = false;
  peak_memory();
  const std::size_t before = peak_memory();
  const model::Message message = server.run();
  const std::size_t after = peak_memory();
  return {after > before ? after - before : 0, batches * text_in_batch,
          model::plain_text(message).size(), message.stop};
}

}  // namespace

int main() {
  Sweep sweep("long_answer");
  for (const Dialect& dialect : dialects())
    for (const std::size_t piece : {std::size_t{4}, std::size_t{4096}}) {
      const Measured measured = stream(dialect, piece);
      sweep.count();
      const std::string what = dialect.provider + " in pieces of " + std::to_string(piece) + ": ";
      const bool fits = measured.sent <= wire::AnswerLimit::most_bytes;
      sweep.check(measured.stop == (fits ? model::Stop::stop : model::Stop::error),
                  [&] { return what + "it did not end as it should"; });
      sweep.check(measured.text == std::min(measured.sent, wire::AnswerLimit::most_bytes), [&] {
        return what + std::to_string(measured.text) + " bytes are kept of " +
               std::to_string(measured.sent);
      });
      // A string that grows has up to twice its size, and its old half while it moves.
      sweep.check(measured.growth < 3 * measured.text + slack, [&] {
        return what + std::to_string(measured.growth / mebibyte) + " MiB for an answer of " +
               std::to_string(measured.text / mebibyte) + " MiB";
      });
    }
  return sweep.end("streams of 100 MiB");
}
