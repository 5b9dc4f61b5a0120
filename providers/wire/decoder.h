// From the bytes of a response's body to deltas: events, JSON made parsable, the codec, surrogates
// joined. All the state of a stream that is not yet a message; a value, like its parts.
#pragma once

#include "core/model/event.h"
#include "providers/wire/codecs.h"
#include "providers/wire/sse.h"

namespace skein::wire {

// Surrogate pairs that a provider cut in two. JSON libraries refuse a lone \ud834, so before an
// event is parsed each lone surrogate is written as a character of the last private-use range; the
// joiner turns these back, across the borders of events, or into U+FFFD where no half fits.
class SurrogateJoiner {
 public:
  // The deltas of one event, in order. `marked`: mark_lone_surrogates found some in it. The end of
  // a piece is held back while its other half may still come.
  model::Deltas join(model::Deltas deltas, bool marked);
  // What was held back, at the end of a stream.
  model::Deltas finish();

  bool operator==(const SurrogateJoiner&) const = default;

 private:
  struct Held {
    std::size_t kind;  // of delta: Delta::index()
    std::string block;
    char32_t high;
    bool operator==(const Held&) const = default;
  };
  // Releases what can find no other half once `delta` has come.
  void release(const model::Delta& delta, model::Deltas& out);
  void piece(std::size_t kind, const std::string& block, std::string& text, bool marked);

  std::vector<Held> held_{};
};

// How many bytes a server may send before it is taken for a flood; no answer comes near.
struct StreamLimits {
  std::size_t event = std::size_t{32} << 20;  // the last one may repeat the whole answer
  std::size_t body = std::size_t{256} << 20;
  bool operator==(const StreamLimits&) const = default;
};

class StreamDecoder {
 public:
  explicit StreamDecoder(const Codec& codec, const StreamLimits& limits = {})
      : codec_(&codec), limits_(limits), sse_(limits.event) {}

  model::Deltas feed(std::string_view bytes);
  // The body has ended. An event that was cut is passed over; a body that was no event stream at
  // all (a page, a JSON error with status 200) is a failure.
  model::Deltas finish();

  bool operator==(const StreamDecoder&) const = default;

 private:
  enum class Body { unknown, events, plain };

  const Codec* codec_;
  StreamLimits limits_;
  SseParser sse_;
  SurrogateJoiner joiner_{};
  Body body_ = Body::unknown;
  std::size_t received_ = 0;
  bool failed_ = false;
  std::string plain_{};  // the beginning of a body that is no event stream
};

}  // namespace skein::wire
