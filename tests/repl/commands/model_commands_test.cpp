// /model and /thinking where there is no list to choose from.
#include <doctest/doctest.h>

#include "tests/support/prompt_scene.h"

using namespace skein;
using namespace skein::test;

namespace {

struct KnownModels : session::Models {
  bool asked = false;  // whether the services were asked for their models

  std::vector<session::ModelLine> lines() override {
    std::vector<session::ModelLine> lines{
        {.name = "offline/demo", .usable = true, .note = "built in"},
        {.name = "a/one",
         .usable = true,
         .images = true,
         .ends = "ends in 3 days",
         .details = "1M window"},
        {.name = "b/two", .note = "set B_KEY"}};
    if (asked) lines.push_back({.name = "c/new", .usable = true});
    return lines;
  }
  bool refresh(const model::Ports&) override { return asked = true; }
  model::ModelRef parse(std::string_view name) const override {
    const std::size_t slash = name.find('/');
    return {std::string(name.substr(0, slash)), std::string(name.substr(slash + 1))};
  }
  handover::Target target(const model::ModelRef& ref) const override {
    return handover::target_for(handover::WireFormat::openai_chat, ref.provider, ref.model);
  }
  std::vector<std::string> remarks(const model::ModelRef& ref) const override {
    return {ref.model + " at " + std::string(name(ref.thinking))};
  }
};

struct Known {
  KnownModels known{};
};

struct Scene : Known, DemoScene {
  Scene() : DemoScene({.models = &known}) {}
  std::string current() { return model::to_string(session.settings().model); }
};

}  // namespace

TEST_CASE("without a keyboard /model prints what can be used, after services were asked") {
  Scene scene;
  const std::string out = scene.shown("/model");
  CHECK(out.find("* offline/demo") != std::string::npos);
  CHECK(out.find("1M window · sees images · ends in 3 days") != std::string::npos);
  CHECK(out.find("c/new") != std::string::npos);
  CHECK(out.find("b/two") == std::string::npos);
  CHECK(out.find("1 more need a key or a server") != std::string::npos);
  CHECK(scene.shown("/model all").find("set B_KEY") != std::string::npos);
}

TEST_CASE("/model with the model in use changes nothing") {
  Scene scene;
  scene.shown("/model a/one");
  CHECK(scene.shown("/model a/one").find("a/one is the current model") != std::string::npos);
  scene.shown("/model -");
  CHECK(scene.current() == "offline/demo");
}

TEST_CASE("/model - goes back to the model before, and forth again") {
  Scene scene;
  CHECK(scene.shown("/model -").find("there is no previous model") != std::string::npos);
  CHECK(scene.shown("/model a/one").find("one at off") != std::string::npos);
  CHECK(scene.current() == "a/one");
  scene.shown("/model -");
  CHECK(scene.current() == "offline/demo");
  scene.shown("/model -");
  CHECK(scene.current() == "a/one");
}

TEST_CASE("after a restart /model - finds the model that answered before") {
  Scene scene;
  scene.shown("hello");
  scene.shown("/model a/one");
  scene.session.model_before().clear();  // as a new process has it
  scene.shown("/model -");
  CHECK(scene.current() == "offline/demo");
}

TEST_CASE("/thinking takes every level, and says what the model makes of it") {
  Scene scene;
  for (const char* level : {"minimal", "low", "medium", "high", "xhigh", "max", "off"})
    CHECK(scene.shown(std::string("/thinking ") + level).find("demo at " + std::string(level)) !=
          std::string::npos);
  CHECK(scene.shown("/thinking most").find("/thinking takes off, minimal") != std::string::npos);
}
