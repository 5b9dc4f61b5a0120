#include "providers/wire/decoder.h"

#include <utility>

#include "providers/wire/wire.h"

namespace skein::wire {

namespace {

constexpr std::size_t plain_limit = std::size_t{64} << 10;  // enough for any error

// Makes the event one a JSON parser accepts; true if lone surrogates were marked in it.
bool make_parsable(SseEvent& event) {
  if (!is_valid_utf8(event.data)) event.data = valid_utf8(event.data);
  return mark_lone_surrogates(event.data);
}

}  // namespace

model::Deltas StreamDecoder::feed(std::string_view bytes) {
  model::Deltas out;
  if (failed_) return out;
  received_ += bytes.size();
  if (body_ == Body::unknown) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos)
      // No field of an event begins so, and content types cannot be trusted.
      body_ = std::string_view("{[<").find(bytes[first]) == std::string_view::npos ? Body::events
                                                                                   : Body::plain;
  }
  if (body_ == Body::plain) {
    plain_ += bytes.substr(0, plain_limit - plain_.size());
    return out;
  }
  for (SseEvent& event : sse_.feed(bytes)) decode(std::move(event), out);
  failed_ = sse_.over_limit() || received_ > limits_.body;
  if (failed_)
    out.emplace_back(model::delta::Failed{"the provider sent more than any answer can be"});
  return out;
}

model::Deltas StreamDecoder::finish() {
  model::Deltas out;
  if (body_ == Body::plain) {
    const Explanation why = codec_->explain(200, plain_, {});
    out.emplace_back(
        model::delta::Failed{why.text, why.overflow, why.retryable, why.told, why.seals});
    return out;
  }
  if (std::optional<SseEvent> last = sse_.finish()) {
    const bool marked = make_parsable(*last);
    model::Deltas deltas = codec_->decode(*last);
    if (deltas != wire::not_json()) out = joiner_.join(std::move(deltas), marked);
  }
  for (model::Delta& delta : joiner_.finish()) out.push_back(std::move(delta));
  return out;
}

void StreamDecoder::decode(SseEvent event, model::Deltas& out) {
  const bool marked = make_parsable(event);
  for (model::Delta& delta : joiner_.join(codec_->decode(event), marked))
    out.push_back(std::move(delta));
}

}  // namespace skein::wire
