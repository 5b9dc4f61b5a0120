#include "providers/offline/scripted.h"

#include <doctest/doctest.h>

#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::offline;
using namespace skein::test;
using namespace std::chrono_literals;

namespace {

const model::ModelRef test_model{"scripted", "x"};

model::Message plain(model::Message message) {
  message.duration_ms = 0;
  return message;
}

}  // namespace

TEST_CASE("a script is replayed reply by reply, step by step") {
  ScriptedProvider provider(R"([
    [{"think": "hm"}, {"say": ["a", "b"]}, {"call": {"id": "c1", "name": "read", "input": {"path": "x"}}},
     {"usage": {"input": 5, "output": 2}}],
    "done",
    [{"say": "cut off"}, {"stop": "length"}]
  ])");
  CHECK(plain(provider.stream({}, test_model, {})) ==
        model::Message{.role = model::Role::assistant,
                       .content = {model::Thinking{"hm"}, model::Text{"ab"},
                                   model::ToolUse{"c1", "read", R"({"path":"x"})"}},
                       .provider = "scripted",
                       .model = "x",
                       .stop = model::Stop::tool_use,
                       .usage = model::Usage{.input = 5, .output = 2}});
  const model::Message second = provider.stream({}, test_model, {});
  CHECK(model::plain_text(second) == "done");
  CHECK(second.stop == model::Stop::stop);
  CHECK(provider.stream({}, test_model, {}).stop == model::Stop::length);
  CHECK(provider.stream({}, test_model, {}).error.find("no reply 4") != std::string::npos);
}

TEST_CASE("a resumed session goes on behind the replies it has") {
  ScriptedProvider provider(R"(["one", "two", "three"])");
  const model::Context context{.messages = {model::user_message("a"),
                                            {.role = model::Role::assistant},
                                            model::user_message("b"),
                                            {.role = model::Role::assistant},
                                            model::user_message("c")}};
  CHECK(model::plain_text(provider.stream(context, test_model, {})) == "three");
}

TEST_CASE("errors and cuts end a reply with what was said") {
  ScriptedProvider provider(
      R"([[{"say": "half"}, {"error": "overloaded"}, {"say": "never"}], [{"say": "half"}, {"cut": true}]])");
  const model::Message failed = provider.stream({}, test_model, {});
  CHECK(failed.stop == model::Stop::error);
  CHECK(failed.error == "overloaded");
  CHECK(model::plain_text(failed) == "half");
  const model::Message cut = provider.stream({}, test_model, {});
  CHECK(cut.stop == model::Stop::interrupted);
  CHECK(model::plain_text(cut) == "half");
}

TEST_CASE("a script can be slow, and stopped") {
  std::atomic<bool> stop{false};
  model::Ports ports;
  ports.stop = &stop;
  ports.sink = [&](const model::Event&) { stop = true; };
  ScriptedProvider provider(R"([[{"say": ["a"]}, {"wait": 60000}, {"say": ["b"]}]])");
  const auto start = std::chrono::steady_clock::now();
  const model::Message message = provider.stream({}, test_model, ports);
  CHECK(std::chrono::steady_clock::now() - start < 20s);
  CHECK(message.stop == model::Stop::aborted);
  CHECK(model::plain_text(message) == "a");
}

TEST_CASE("what is not a script is refused with the place of the fault") {
  const auto trouble = [](const char* script) {
    try {
      ScriptedProvider provider(script);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(trouble("{}") == "the script is not a JSON array of replies");
  CHECK(trouble("[1]") == "reply 1 of the script is neither a string nor an array");
  for (const char* step :
       {R"({"sing": "la"})", R"({"say": 1})", R"({"say": [1]})", R"({"wait": -1})",
        R"({"wait": "x"})", R"({"stop": "maybe"})", R"({"cut": false})", R"({"call": {}})", "1",
        "{}", R"({"say": "a", "wait": 1})"})
    CHECK(trouble((R"(["ok", [{"say": "a"}, )" + std::string(step) + "]]").c_str()) ==
          "reply 2 of the script: step 2 is not valid");
}

TEST_CASE("a script is loaded from a file") {
  const TempDir dir;
  write_file(dir / "s.json", R"(["from a file"])");
  ScriptedProvider provider = ScriptedProvider::load((dir / "s.json").string());
  CHECK(model::plain_text(provider.stream({}, test_model, {})) == "from a file");
  CHECK_THROWS_AS(ScriptedProvider::load((dir / "none").string()), Error);
}
