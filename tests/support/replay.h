// Plays the body of a response through decoder and assembler, as a provider does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/assembler.h"
#include "providers/wire/decoder.h"

namespace skein {

struct Replay {
  wire::StreamDecoder decoder;
  model::Assembler assembler;

  explicit Replay(const wire::Codec& codec)
      : decoder(codec), assembler(std::string(codec.name), "model", "stem") {}

  Replay& feed(std::string_view bytes);
  // The message if the body ended here; the replay itself can go on.
  model::Message message() const;

  bool operator==(const Replay&) const = default;
};

model::Message replay(const wire::Codec& codec, std::string_view body);

// An event stream of these data lines, each an event of its own.
std::string sse(const std::vector<std::string>& data);

// A message in one line: "think(hm) text(hi) bash({"a":1}) -> tool_use". Long texts are cut, and
// their size is given instead.
std::string outline(const model::Message& message);

}  // namespace skein
