// Bytes of any kind as a stream: every codec takes every event without falling over, and the
// assembler never makes a call out of half a one.
#include <cstdlib>

#include "core/assembler.h"
#include "core/json.h"
#include "providers/decoder.h"

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const Codec* codec :
       {&anthropic_messages, &openai_chat, &openai_responses, &google_gemini}) {
    StreamDecoder decoder(*codec);
    Assembler assembler("fuzz", "fuzz");
    for (const Delta& delta : decoder.feed(bytes)) assembler.add(delta);
    for (const Delta& delta : decoder.finish()) assembler.add(delta);
    const Message message = assembler.message();
    for (const ToolUse* call : tool_uses(message)) {
      const auto input = parse_json(call->input);
      if (!input || !input->is_object()) std::abort();
    }
  }
  return 0;
}
