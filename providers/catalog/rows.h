// The built-in services of the catalog. The models are in model_rows.h.
#pragma once

#include "providers/catalog/catalog.h"
#include "providers/offline/offline.h"
#include "providers/offline/scripted.h"

namespace skein::catalog::rows {

inline constexpr ProviderRow providers[] = {
    {.name = "anthropic",
     .wire = handover::WireFormat::anthropic,
     .base_url = "https://api.anthropic.com",
     .key_variables = {"ANTHROPIC_API_KEY"},
     .base_url_variable = "ANTHROPIC_BASE_URL",
     .auth = Auth::x_api_key,
     .listing = Listing::anthropic},
    {.name = "openai",
     .base_url = "https://api.openai.com",
     .key_variables = {"OPENAI_API_KEY"},
     .base_url_variable = "OPENAI_BASE_URL",
     .max_tokens_field = "max_completion_tokens",
     .responses = {"gpt-", {5, 4}}},
    {.name = "openai-chat",
     .base_url = "https://api.openai.com",
     .key_variables = {"OPENAI_API_KEY"},
     .base_url_variable = "OPENAI_BASE_URL",
     .max_tokens_field = "max_completion_tokens",
     .home = "openai"},
    {.name = "openai-responses",
     .wire = handover::WireFormat::openai_responses,
     .base_url = "https://api.openai.com",
     .key_variables = {"OPENAI_API_KEY"},
     .base_url_variable = "OPENAI_BASE_URL",
     .home = "openai"},
    {.name = "google",
     .wire = handover::WireFormat::google,
     .base_url = "https://generativelanguage.googleapis.com",
     .version = "/v1beta",
     .key_variables = {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
     .base_url_variable = "GEMINI_BASE_URL",
     .auth = Auth::x_goog_api_key,
     .listing = Listing::google},
    {.name = "openrouter",
     .base_url = "https://openrouter.ai/api",
     .key_variables = {"OPENROUTER_API_KEY"}},
    {.name = "groq", .base_url = "https://api.groq.com/openai", .key_variables = {"GROQ_API_KEY"}},
    {.name = "mistral",
     .base_url = "https://api.mistral.ai",
     .key_variables = {"MISTRAL_API_KEY"},
     .stream_usage = false,  // reports usage unasked and refuses fields it does not know
     .ids = handover::IdRule{.max = 9, .exact = true, .alphanumeric = true},
     .bridge_text = "Done."},
    {.name = "deepseek",
     .base_url = "https://api.deepseek.com",
     .key_variables = {"DEEPSEEK_API_KEY"}},
    {.name = "xai",
     .base_url = "https://api.x.ai",
     .key_variables = {"XAI_API_KEY"},
     .responses = {"grok-", {4, 3}}},
    {.name = "ollama",
     .base_url = "http://127.0.0.1:11434",
     .base_url_variable = "OLLAMA_HOST",
     .auth = Auth::none,
     .local = true,
     .listing = Listing::ollama},
    {.name = "llamacpp",
     .base_url = "http://127.0.0.1:8080",
     .auth = Auth::none,
     .local = true,
     .listing = Listing::llamacpp},
    {.name = "lmstudio",
     .base_url = "http://127.0.0.1:1234",
     .auth = Auth::none,
     .local = true,
     .listing = Listing::lmstudio},
    {.name = "vllm", .base_url = "http://127.0.0.1:8000", .auth = Auth::none, .local = true},
};

// The first is what works without a key.
inline constexpr BuiltInRow built_in[] = {
    {.name = "offline",
     .model = "demo",
     .note = "built in, answers by rule",
     .free = true,
     .summarizes = false,
     .make = [](const std::string&) -> std::unique_ptr<model::Provider> {
       return std::make_unique<offline::OfflineProvider>();
     }},
    {.name = "scripted",
     .one_for_each_model = true,
     .make = [](const std::string& file) -> std::unique_ptr<model::Provider> {
       return std::make_unique<offline::ScriptedProvider>(offline::ScriptedProvider::load(file));
     }},
};

}  // namespace skein::catalog::rows
