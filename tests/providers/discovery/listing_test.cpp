#include "providers/discovery/listing.h"

#include <doctest/doctest.h>

#include <ctime>

using namespace skein;
using namespace skein::discovery;
using catalog::ServiceModel;
using Models = std::vector<ServiceModel>;

TEST_CASE("OpenAI's list and what others add to it") {
  CHECK(openai_models(R"({"object":"list","data":[
      {"id":"gpt-6-sol","object":"model","created":1,"owned_by":"openai"},
      {"id":"gpt-5","object":"model","shutdown_date":"2026-12-11"},
      {"id":"text-embedding-3-large"}]})") ==
        Models{{.name = "gpt-6-sol"}, {.name = "gpt-5", .ends = "2026-12-11"}});
  // vLLM, llama.cpp, Groq, Mistral
  CHECK(openai_models(R"({"data":[{"id":"qwen","max_model_len":40960},
      {"id":"tiny","meta":{"n_ctx":3072,"n_ctx_train":131072}},
      {"id":"oss","context_window":131072,"max_completion_tokens":65536},
      {"id":"large","max_context_length":1048576,"capabilities":{"vision":true}}]})") ==
        Models{{.name = "qwen", .window = 40'960},
               {.name = "tiny", .window = 3'072},
               {.name = "oss", .window = 131'072, .max_output = 65'536},
               {.name = "large", .window = 1'048'576, .images = true}});
  // LM Studio: what is loaded counts.
  CHECK(openai_models(R"({"data":[
      {"id":"a","type":"vlm","state":"loaded","max_context_length":131072,"loaded_context_length":4096},
      {"id":"b","type":"llm","state":"not-loaded","max_context_length":8192},
      {"id":"c","type":"embeddings","max_context_length":2048}]})") ==
        Models{{.name = "a", .window = 4'096, .images = true}, {.name = "b", .window = 8'192}});
}

TEST_CASE("OpenRouter tells windows, prices and modalities") {
  const Models models = openai_models(R"({"data":[{"id":"z-ai/glm-5.3","context_length":1048576,
      "architecture":{"input_modalities":["text","image"]},
      "top_provider":{"max_completion_tokens":131072},
      "pricing":{"prompt":"0.0000001","completion":"0.0000005","input_cache_read":"0.00000001"}},
      {"id":"openrouter/auto","context_length":2000000,"pricing":{"prompt":"-1","completion":"-1"}},
      {"id":"free/one","pricing":{"prompt":"0","completion":"0"}}]})");
  REQUIRE(models.size() == 3);
  CHECK(models[0] == ServiceModel{.name = "z-ai/glm-5.3",
                                  .window = 1'048'576,
                                  .max_output = 131'072,
                                  .images = true,
                                  .input = 0.1,
                                  .output = 0.5,
                                  .cache_read = 0.01});
  CHECK_FALSE(models[1].input);
  CHECK(models[2].input == 0);
}

TEST_CASE("Anthropic's list goes on for pages") {
  const char* body = R"({"data":[{"type":"model","id":"claude-opus-5-5","display_name":"x",
      "created_at":"2026-09-01T00:00:00Z"}],"has_more":true,"last_id":"claude-opus-5-5"})";
  CHECK(openai_models(body) == Models{{.name = "claude-opus-5-5"}});
  CHECK(next_page(body) == "claude-opus-5-5");
  CHECK(next_page(R"({"data":[],"has_more":false,"last_id":"x"})").empty());
  CHECK(next_page(R"({"has_more":true,"last_id":"x&y=1"})").empty());
}

TEST_CASE("Google's list has windows, and those that cannot talk are left out") {
  CHECK(google_models(R"({"models":[
      {"name":"models/gemini-3.8-flash","inputTokenLimit":1048576,"outputTokenLimit":65536,
       "supportedGenerationMethods":["generateContent","countTokens"],"thinking":true},
      {"name":"models/gemini-embedding-2","supportedGenerationMethods":["embedContent"]}]})") ==
        Models{{.name = "gemini-3.8-flash", .window = 1'048'576, .max_output = 65'536}});
}

TEST_CASE("Ollama tells the window it runs a model with, if it runs it") {
  Models models = ollama_tags(
      R"({"models":[{"name":"qwen3:8b","model":"qwen3:8b"},{"name":"llava:7b"},{"name":"tiny"},
          {"name":"nomic-embed-text:latest"}]})");
  REQUIRE(models.size() == 3);
  const char* large = R"({"capabilities":["completion","tools"],"model_info":
      {"general.architecture":"qwen3","qwen3.context_length":40960}})";
  add_ollama_show(models[0], large);
  // What the model could take says nothing of what the server gives it.
  CHECK(models[0] == ServiceModel{.name = "qwen3:8b", .images = false});
  add_ollama_show(models[1], R"({"capabilities":["vision"],
      "parameters":"stop  \"x\"\nnum_ctx                        8192\n"})");
  CHECK(models[1] == ServiceModel{.name = "llava:7b", .window = 8'192, .images = true});
  add_ollama_show(models[2],
                  R"({"model_info":{"general.architecture":"l","l.context_length":2048}})");
  CHECK(models[2].window == 2'048);
  add_ollama_running(models,
                     R"({"models":[{"name":"qwen3:8b","context_length":4096},{"name":"?"}]})");
  CHECK(models[0].window == 4'096);
}

TEST_CASE("llama.cpp tells its window") {
  CHECK(llamacpp_window(R"({"default_generation_settings":{"n_ctx":3072}})") == 3'072);
  CHECK(llamacpp_window(R"({"default_generation_settings":{"n_ctx":-1}})") == 0);
  CHECK(llamacpp_window("") == 0);
}

TEST_CASE("whatever a server sends is passed over or bounded, and never thrown at anybody") {
  for (const char* garbage :
       {"", "null", "[]", "<html>", R"({"data":{}})", R"({"data":[null,1,"x",[],{}]})",
        R"({"data":[{"id":7},{"id":""},{"id":"a b"},{"id":"\u001b[31m"},{"id":"caf\u00e9"}]})",
        R"({"models":[{"name":null}]})", R"({"data":[{"id":)"}) {
    CAPTURE(garbage);
    CHECK(openai_models(garbage).empty());
    CHECK(google_models(garbage).empty());
    CHECK(ollama_tags(garbage).empty());
    CHECK(next_page(garbage).empty());
    CHECK(llamacpp_window(garbage) == 0);
    ServiceModel model{.name = "m"};
    add_ollama_show(model, garbage);
    CHECK(model == ServiceModel{.name = "m"});
  }
  CHECK(openai_models(R"({"data":[{"id":"m","context_length":1e30,"max_model_len":-5,
      "meta":7,"pricing":{"prompt":"1e9","completion":"nan"},"shutdown_date":"2026-13-4\u001b]"}]})") ==
        Models{{.name = "m"}});
  CHECK(openai_models(R"({"data":[{"id":")" + std::string(300, 'x') + "\"}]}").empty());

  std::string many = R"({"data":[)";
  for (int i = 0; i < 12'000; ++i)
    many += std::string(i > 0 ? "," : "") + R"({"id":"m)" + std::to_string(i) + "\"}";
  const std::clock_t start = std::clock();  // of the processor, which others use too
  CHECK(openai_models(many + "]}").size() == most_models);
  CHECK(std::clock() - start < 2 * CLOCKS_PER_SEC);
}
