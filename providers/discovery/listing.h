// What services answer when they are asked for their models, read from their bodies. Whatever they
// send is untrusted: it is bounded, and what makes no sense is passed over.
#pragma once

#include "providers/catalog/catalog.h"

namespace skein::discovery {

inline constexpr std::size_t most_models = 10'000;

// A name that can be shown, sent and typed.
bool is_model_name(std::string_view name);

// {"data":[{"id":…}]}, as OpenAI has it, with what others add: context_length and pricing
// (OpenRouter), context_window (Groq), max_model_len (vLLM), meta.n_ctx (llama.cpp),
// max_context_length (Mistral, LM Studio), shutdown_date (OpenAI). Also Anthropic's. What only
// makes embeddings is left out.
std::vector<catalog::ServiceModel> openai_models(std::string_view body);
// Where Anthropic's next page begins; empty: this was the last.
std::string next_page(std::string_view body);

// {"models":[{"name":"models/…","inputTokenLimit":…}]}: those that can be talked to.
std::vector<catalog::ServiceModel> google_models(std::string_view body);

// Ollama's /api/tags; /api/show of one model, added to it; and /api/ps, which alone knows how much
// of a model's window the server has room for.
std::vector<catalog::ServiceModel> ollama_tags(std::string_view body);
void add_ollama_show(catalog::ServiceModel& model, std::string_view body);
void add_ollama_running(std::vector<catalog::ServiceModel>& models, std::string_view body);

// The window of llama.cpp's /props; 0: not given.
std::int64_t llamacpp_window(std::string_view body);

}  // namespace skein::discovery
