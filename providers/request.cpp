#include "providers/request.h"

#include "core/normalize.h"
#include "providers/validator.h"

namespace skein {

const Codec& codec_of(WireFormat wire) {
  switch (wire) {
    case WireFormat::anthropic: return anthropic_messages;
    case WireFormat::openai_chat: return openai_chat;
    case WireFormat::openai_responses: return openai_responses;
    case WireFormat::google: return google_gemini;
  }
  return openai_chat;
}

CheckedRequest make_request(const Context& context, const ModelRef& model, const ProviderRow& row,
                            const ModelRow& known) {
  Target target = target_for(row.wire, model.provider, model.model);
  target.takes_images = known.images;
  const Context suited{context.system, normalize(context.messages, target), context.tools};
  CheckedRequest request{codec_of(row.wire).encode(suited, model, facts_of(row, known, model)), {}};
  request.faults = violations(target, request.wire.body);
  return request;
}

}  // namespace skein
