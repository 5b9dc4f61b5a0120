// Bytes of any kind as a stream: every codec takes every event without falling over, and the
// assembler never makes a call out of half a one.
#include <cstdlib>

#include "core/model/assembler.h"
#include "core/text/json.h"
#include "providers/wire/decoder.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const wire::Codec* codec : {&wire::anthropic_messages, &wire::openai_chat,
                                   &wire::openai_responses, &wire::google_gemini}) {
    wire::StreamDecoder decoder(*codec);
    model::Assembler assembler("fuzz", "fuzz");
    for (const model::Delta& delta : decoder.feed(bytes)) assembler.add(delta);
    for (const model::Delta& delta : decoder.finish()) assembler.add(delta);
    const model::Message message = assembler.message();
    for (const model::ToolUse* call : model::tool_uses(message)) {
      const auto input = parse_json(call->input);
      if (!input || !input->is_object()) std::abort();
    }
  }
  return 0;
}
