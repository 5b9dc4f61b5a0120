// Plays the body of a response through decoder and assembler, as a provider does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/assembler.h"
#include "providers/decoder.h"

namespace skein {

struct Replay {
  StreamDecoder decoder;
  Assembler assembler;

  explicit Replay(const Codec& codec)
      : decoder(codec), assembler(std::string(codec.name), "model", "stem") {}

  Replay& feed(std::string_view bytes);
  // The message if the body ended here; the replay itself can go on.
  Message message() const;

  bool operator==(const Replay&) const = default;
};

Message replay(const Codec& codec, std::string_view body);

// An event stream of these data lines, each an event of its own.
std::string sse(const std::vector<std::string>& data);

// A message in one line: "think(hm) text(hi) bash({"a":1}) -> tool_use". Long texts are cut, and
// their size is given instead.
std::string outline(const Message& message);

}  // namespace skein
