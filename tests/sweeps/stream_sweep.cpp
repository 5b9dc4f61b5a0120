// Cuts streams after every byte and splits them at every byte. A cut must leave the same message or
// a clean interruption, and never a call the whole stream does not have; a split must change
// nothing. Streams are forked, not replayed, so the work grows with their length, not its square.
//
// A split at k is proved by states: what one read of [c, k) makes of the state at a checkpoint c is
// what single bytes make of it, and one read of [k, c') then leads to the state at c'. States are
// compared whole and the code has no others, so every other way of cutting a body follows.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/replay.h"
#include "tests/support/streams.h"

using namespace skein;

namespace {

constexpr std::size_t checkpoint = 256;

struct Tally {
  std::size_t streams = 0, cuts = 0, splits = 0, wrong = 0;

  void expect(bool right, const std::string& stream, std::size_t at, const char* what) {
    if (right) return;
    if (++wrong <= 20) std::printf("%s, byte %zu: %s\n", stream.c_str(), at, what);
  }
};

std::string thoughts(const model::Message& message) {
  std::string out;
  for (const model::Block& block : message.content)
    if (const auto* thinking = std::get_if<model::Thinking>(&block)) out += thinking->thinking;
  return out;
}

// A surrogate whose other half was cut off shows as U+FFFD; it is no part of the whole.
bool begins(const std::string& whole, std::string_view part) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  if (!whole.starts_with(part) && part.ends_with(replacement))
    part.remove_suffix(replacement.size());
  return whole.starts_with(part);
}

bool has_only_calls_of(const model::Message& whole, const model::Message& part) {
  const auto known = model::tool_uses(whole);
  return std::ranges::all_of(model::tool_uses(part), [&](const model::ToolUse* call) {
    return std::ranges::any_of(known, [&](const model::ToolUse* each) {
      return each->id == call->id && each->name == call->name && each->input == call->input;
    });
  });
}

void check_cut(const BuiltStream& stream, const model::Message& whole, const Replay& state,
               std::size_t at, Tally& tally) {
  const model::Message cut = state.message();
  const model::Message stopped = state.assembler.aborted();
  ++tally.cuts;
  tally.expect(cut.stop == model::Stop::interrupted ||
                   (cut.stop == whole.stop && cut.content == whole.content),
               stream.name, at, "neither whole nor interrupted");
  tally.expect(has_only_calls_of(whole, cut), stream.name, at, "a call that was never made");
  tally.expect(stopped.stop == model::Stop::aborted && has_only_calls_of(whole, stopped),
               stream.name, at, "a stop by the user made a call");
  tally.expect(begins(model::plain_text(whole), model::plain_text(cut)), stream.name, at,
               "text changed");
  tally.expect(begins(thoughts(whole), thoughts(cut)), stream.name, at, "thinking changed");
}

void sweep(const BuiltStream& stream, Tally& tally) {
  const std::string_view body = stream.body;
  const Replay start(*stream.codec);
  const model::Message whole = Replay(start).feed(body).message();
  ++tally.streams;
  tally.expect(whole.stop == stream.stop, stream.name, body.size(), "a wrong end");

  Replay from = start, bytes = start;
  for (std::size_t begin = 0; begin < body.size(); begin += checkpoint) {
    const std::size_t end = std::min(begin + checkpoint, body.size());
    const Replay to = Replay(from).feed(body.substr(begin, end - begin));
    for (std::size_t at = begin; at < end; ++at) {
      check_cut(stream, whole, bytes, at, tally);
      ++tally.splits;
      tally.expect(Replay(from).feed(body.substr(begin, at - begin)) == bytes, stream.name, at,
                   "one read differs from single bytes");
      tally.expect(Replay(bytes).feed(body.substr(at, end - at)) == to, stream.name, at,
                   "a split differs from one read");
      bytes.feed(body.substr(at, 1));
    }
    from = to;
  }
  check_cut(stream, whole, bytes, body.size(), tally);
  tally.expect(bytes == Replay(start).feed(body), stream.name, body.size(),
               "single bytes differ from the whole");
  tally.expect(bytes.message() == whole, stream.name, body.size(), "a different message");
}

const wire::Codec& codec_of(const std::string& name) {
  if (name.find("-messages-") != std::string::npos) return wire::anthropic_messages;
  if (name.find("-responses-") != std::string::npos) return wire::openai_responses;
  return name.find("-gemini-") != std::string::npos ? wire::google_gemini : wire::openai_chat;
}

// Recorded streams, where SKEIN_SAMPLES names a folder with some.
std::vector<BuiltStream> recorded_streams() {
  std::vector<BuiltStream> out;
  const char* samples = std::getenv("SKEIN_SAMPLES");
  const std::filesystem::path folder = std::filesystem::path(samples ? samples : "") / "captures";
  if (samples == nullptr || !std::filesystem::exists(folder)) return out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".sse") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string body{std::istreambuf_iterator<char>(in), {}};
    const wire::Codec& codec = codec_of(entry.path().stem());
    // What a recording means is another test's subject; here it must only not change.
    if (body.starts_with("{")) continue;
    out.push_back({entry.path().stem(), &codec, body, replay(codec, body).stop});
  }
  return out;
}

}  // namespace

int main() {
  Tally tally;
  for (const BuiltStream& stream : built_streams(64)) sweep(stream, tally);
  const std::size_t built = tally.cuts;
  for (const BuiltStream& stream : recorded_streams()) sweep(stream, tally);
  std::printf("stream_sweep: %zu streams, %zu cuts (%zu of built streams), %zu splits, %zu wrong\n",
              tally.streams, tally.cuts, built, tally.splits, tally.wrong);
  return tally.wrong == 0 && built >= 240'000 ? 0 : 1;
}
