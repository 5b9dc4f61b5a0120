#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "core/agent/agent.h"
#include "core/model/payloads.h"
#include "core/model/provider.h"
#include "core/store/home/file_backend.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"

using namespace skein;
using namespace skein::agent;
using namespace skein::test;

namespace {

// A model that does what the test says and remembers what it was asked.
class Puppet : public model::Provider {
 public:
  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports& ports) override {
    asked.push_back(context);
    longest_answer = model.max_output;
    model::Message reply{
        .role = model::Role::assistant, .provider = model.provider, .model = model.model};
    const bool for_summary = context.system.find("notes") != std::string::npos;
    std::int64_t size = 0;
    for (const model::Message& each : context.messages) size += model::tokens_of(each);
    if (for_summary ? summaries_fail : overflows > 0 || (longest > 0 && size > longest)) {
      if (!for_summary && overflows > 0) --overflows;
      ports.sink(model::Streaming{model::delta::Failed{"too long", true, false, told}});
      reply.stop = model::Stop::error;
      reply.error = "too long";
      return reply;
    }
    reply.content = {model::Text{for_summary ? summary : "an answer"}};
    ports.sink(model::Streaming{model::delta::TextPiece{"", model::plain_text(reply)}});
    reply.stop = model::Stop::stop;
    if (for_summary) reply.usage = model::Usage{.input = 70, .output = 5};
    if (!for_summary && input > 0) reply.usage = model::Usage{.input = size * input, .output = 5};
    if (!for_summary && reads > 0)
      reply.usage = model::Usage{.input = std::min(size, reads), .output = 5};
    return reply;
  }

  int summaries() const {
    int count = 0;
    for (const model::Context& each : asked)
      count += each.system.find("notes") != std::string::npos;
    return count;
  }

  std::vector<model::Context> asked{};
  std::int64_t longest_answer = 0;
  int overflows = 0;
  std::int64_t longest = 0;  // in tokens; 0: no limit
  bool summaries_fail = false;
  model::delta::Overflow told{};
  std::int64_t input = 0;  // what an answer says it was given, for each token we guess; 0: nothing
  std::int64_t reads = 0;  // the most it reads, without a word about the rest; 0: everything
  std::string summary = "the notes";
};

struct Scene {
  Puppet puppet{};
  store::SessionStore store{
      std::make_unique<store::home::FileBackend>(store::files::memory_files())};
  model::Tools tools{};
  context::Window window{2000, 500};
  bool by_rule = false, cuts_silently = false;
  std::vector<ModelLimits> learned{};
  Agent agent{agent_parts(store, tools, puppet, [&](agent::Parts& with) {
    with.limits = [this](const model::ModelRef&) {
      return ModelLimits{window, by_rule, 0, cuts_silently};
    };
    with.learn = [this](const model::ModelRef&, const ModelLimits& limits) {
      learned.push_back(limits);
    };
  })};
  Conversation conversation{store, session_called(store, "main:cli:user")};
  Agent::Settings settings{.model = {"anthropic", "claude"}};
  std::vector<std::string> notices{}, words{};
  model::Ports ports{};

  Scene() {
    ports.sink = [this](const model::Event& event) {
      if (const auto* notice = std::get_if<model::Notice>(&event)) notices.push_back(notice->text);
      const auto* streaming = std::get_if<model::Streaming>(&event);
      const auto* piece =
          streaming ? std::get_if<model::delta::TextPiece>(&streaming->delta) : nullptr;
      if (piece != nullptr) words.push_back(piece->text);
    };
  }
  TurnEnd say(std::size_t tokens) {
    return agent.run_turn(conversation, model::user_message("q" + std::string(tokens * 4, 'w')),
                          settings, ports);
  }
  int on_path(bool cuts) const {
    int count = 0;
    for (const model::Entry& entry : conversation.path())
      if (const auto step = model::read_as<model::payload::CompactionSummary>(entry))
        count += step->summary.empty() == cuts;
    return count;
  }
  int summaries_on_path() const { return on_path(false); }
  int cuts_on_path() const { return on_path(true); }
};

}  // namespace

TEST_CASE("a conversation that fills the window is summed up before the next call") {
  Scene scene;
  for (int i = 0; i < 5; ++i) scene.say(250);
  CHECK(scene.puppet.summaries() == 0);
  const TurnEnd end = scene.say(250);
  CHECK(scene.puppet.summaries() == 1);
  CHECK(scene.summaries_on_path() == 1);
  CHECK(end.text == "an answer");
  CHECK(end.usage == model::Usage{.input = 70, .output = 5});
  CHECK(scene.words == std::vector<std::string>(6, "an answer"));
  CHECK(model::plain_text(scene.puppet.asked.back().messages.front()).find("the notes") !=
        std::string::npos);
  CHECK(model::plain_text(scene.puppet.asked.back().messages.back()).starts_with("qwww"));
  CHECK(scene.conversation.state().usage.at("anthropic/claude").input == 70);
}

TEST_CASE("with compact-at 0 a cut is written down, told, and stays until the next") {
  Scene scene;
  scene.settings.compact_at = 0;
  int begins = 0;
  model::Message begin;
  for (int i = 0; i < 40; ++i) {
    scene.say(250);
    const std::vector<model::Message>& sent = scene.puppet.asked.back().messages;
    CHECK(model::plain_text(sent.back()).starts_with("qwww"));
    begins += std::exchange(begin, sent[sent.size() > 1 ? 1 : 0]) != begin;
  }
  CHECK(scene.puppet.summaries() == 0);
  CHECK(scene.puppet.asked.back().messages.size() < 15);
  CHECK(scene.cuts_on_path() == 1);  // the path begins with what it kept
  CHECK(begins < 20);
  REQUIRE_FALSE(scene.notices.empty());
  CHECK(scene.notices.size() < 20);
  CHECK(scene.notices.front().starts_with("to fit its context window, the model no longer sees "));
  CHECK(scene.notices.front().ends_with("older messages; the session keeps everything"));

  const std::vector<model::Message> sent =
      scene.agent.context(scene.conversation, scene.settings).context.messages;
  Conversation again(scene.store, scene.conversation.session());
  scene.window = {};  // whatever is believed of the window then
  CHECK(scene.agent.context(again, scene.settings).context.messages == sent);
}

TEST_CASE("a result that is too long for the window is shortened before it is sent, for good") {
  Scene scene;
  scene.settings.compact_at = 0;
  scene.say(20);
  const std::string file(20'000, 'f');
  model::Message call{.role = model::Role::assistant,
                      .content = {model::ToolUse{"c1", "read"}},
                      .provider = "anthropic",
                      .model = "claude",
                      .stop = model::Stop::tool_use};
  model::Message result{.role = model::Role::tool,
                        .content = {model::ToolResult{"c1", {model::Text{file}}}}};
  for (const model::Message& each : {call, result})
    value_of(scene.conversation.append({model::message_entry(each)}));
  scene.agent.go_on(scene.conversation, scene.settings, scene.ports);

  const auto sent = [&] {
    for (const model::Message& each : scene.puppet.asked.back().messages)
      if (each.role == model::Role::tool)
        return std::get<model::Text>(std::get<model::ToolResult>(each.content[0]).content[0]).text;
    return std::string("there is none");
  };
  const std::string shortened = sent();
  CHECK(shortened.size() > 1000);
  CHECK(shortened.size() < 6000);
  CHECK(shortened.starts_with("ffff"));
  CHECK(scene.notices.back().find("only the beginning of 1 long tool result") != std::string::npos);
  scene.window = {200'000, 500};
  scene.say(5);
  CHECK(sent() == shortened);
  for (const model::Entry& entry : scene.conversation.path())
    if (entry.payload.find(file) != std::string::npos) return;
  FAIL("the session does not keep the whole result");
}

TEST_CASE("after an overflow it is summed up and tried again, a few times") {
  Scene scene;
  scene.window = {};  // not known
  for (int i = 0; i < 5; ++i) scene.say(50);
  scene.puppet.overflows = 1;
  CHECK(scene.say(50).text == "an answer");
  CHECK(scene.puppet.summaries() == 1);
  CHECK(scene.summaries_on_path() == 1);
  CHECK(scene.agent.context(scene.conversation, scene.settings).window.tokens > 0);  // learned

  const std::size_t before = scene.puppet.asked.size();
  scene.puppet.overflows = 5;
  const TurnEnd failed = scene.say(50);
  CHECK(failed.stop == model::Stop::error);
  CHECK(failed.error == "too long");
  CHECK(scene.puppet.asked.size() <= before + 5);  // four tries, and a summary between them
}

TEST_CASE("where no summary can be made, less is sent after an overflow") {
  Scene scene;
  scene.window = {};
  scene.puppet.summaries_fail = true;
  for (int i = 0; i < 9; ++i) scene.say(50);
  const std::size_t sent = scene.puppet.asked.back().messages.size();
  scene.puppet.overflows = 1;
  CHECK(scene.say(50).text == "an answer");
  CHECK(scene.puppet.asked.back().messages.size() < sent);
  CHECK(scene.summaries_on_path() == 0);
  CHECK(scene.cuts_on_path() == 1);
  CHECK(scene.say(50).text == "an answer");
}

TEST_CASE("what is sent after an overflow is shorter, however far our guess is off") {
  for (const std::int64_t input : {0, 1, 2, 5})
    for (const std::int64_t window : {0, 600, 2000, 1'000'000})
      for (const bool summaries : {false, true}) {
        CAPTURE(input);
        CAPTURE(window);
        CAPTURE(summaries);
        Scene scene;
        scene.window = {32'000, 1000};
        scene.puppet.input = input;
        scene.puppet.summaries_fail = !summaries;
        for (int i = 0; i < 9; ++i) scene.say(50);
        scene.puppet.told = {.window = window};
        scene.puppet.overflows = 3;
        const std::size_t before = scene.puppet.asked.size();
        scene.say(50);
        std::vector<std::int64_t> sizes;
        for (std::size_t i = before; i < scene.puppet.asked.size(); ++i) {
          const model::Context& each = scene.puppet.asked[i];
          if (each.system.find("notes") != std::string::npos) continue;
          sizes.push_back(0);
          for (const model::Message& message : each.messages)
            sizes.back() += model::tokens_of(message);
        }
        CHECK(sizes.size() >= 2);
        CHECK(std::ranges::adjacent_find(sizes, std::less_equal{}) == sizes.end());
      }
}

TEST_CASE("the window a server names is believed from then on, and told to be kept") {
  Scene scene;
  scene.window = {32'000, 4000};
  for (int i = 0; i < 9; ++i) scene.say(50);
  scene.puppet.told = {.window = 400, .sent = 700};
  scene.puppet.overflows = 1;
  CHECK(scene.say(50).text == "an answer");

  REQUIRE(scene.learned.size() == 1);
  CHECK(scene.learned[0].window.tokens == 400);
  CHECK(scene.learned[0].window.output == 4000);
  CHECK(scene.learned[0].tokens_per_guess > 1);
  CHECK(scene.agent.context(scene.conversation, scene.settings).window.tokens == 400);
  CHECK(scene.puppet.longest_answer == 200);  // of so small a window the answer gets half

  scene.puppet.overflows = 1;
  scene.puppet.told = {};  // a guess of ours is not kept
  scene.say(50);
  CHECK(scene.learned.size() == 1);
}

TEST_CASE("a single message that is too long is refused, and the next one gets through") {
  Scene scene;
  scene.window = {};
  scene.puppet.longest = 1000;
  CHECK(scene.say(2000).stop == model::Stop::error);
  CHECK(scene.say(5).text == "an answer");
  CHECK(scene.say(5).text == "an answer");
}

TEST_CASE("a summary that fails leaves the session as it was and is not tried with every call") {
  Scene scene;
  scene.puppet.summaries_fail = true;
  for (int i = 0; i < 6; ++i) CHECK(scene.say(250).text == "an answer");
  CHECK(scene.puppet.summaries() == 1);
  for (int i = 0; i < 5; ++i) CHECK(scene.say(20).text == "an answer");
  CHECK(scene.puppet.summaries() == 1);
  CHECK(scene.summaries_on_path() == 0);
  CHECK(scene.conversation.state().messages == 11);
  CHECK(std::ranges::count(scene.notices, "no summary was made: too long") == 1);

  scene.puppet.summaries_fail = false;
  CHECK(scene.agent.compact(scene.conversation, "", scene.settings, scene.ports).done);
}

TEST_CASE("a summary longer than what it stands for is not taken, and its cost is told") {
  Scene scene;
  for (int i = 0; i < 5; ++i) scene.say(50);
  const std::vector<model::Entry> before = scene.conversation.path();
  scene.puppet.summary = std::string(20'000, 'n');
  const Compacted compacted =
      scene.agent.compact(scene.conversation, "", scene.settings, scene.ports);
  CHECK_FALSE(compacted.done);
  CHECK(compacted.why_not == "the summary is not shorter than what it would replace");
  CHECK(compacted.usage == model::Usage{.input = 70, .output = 5});
  CHECK(scene.conversation.path() == before);
}

TEST_CASE("where even a summary leaves too much, it is not made again and again") {
  Scene scene;
  scene.settings.system = std::string(7000, 's');  // 1750 of 2000 tokens, and 500 for the answer
  for (int i = 0; i < 12; ++i) scene.say(20);
  CHECK(scene.puppet.summaries() <= 2);
}

TEST_CASE("an image goes out with the bytes that are kept beside the transcript") {
  Scene scene;
  scene.window = {};
  const std::string blob = value_of(scene.store.blobs().keep_blob("the bytes"));
  model::Message with_image = model::user_message("what is this");
  with_image.content.emplace_back(model::Image{"image/png", blob});
  with_image.content.emplace_back(
      model::Image{"image/png", std::string(64, '0')});  // there is none
  value_of(scene.conversation.append({model::message_entry(with_image)}));
  scene.say(1);
  const std::vector<model::Block>& sent = scene.puppet.asked.back().messages.front().content;
  REQUIRE(sent.size() == 3);
  CHECK(std::get<model::Image>(sent[1]).bytes == "the bytes");
  CHECK(std::get<model::Image>(sent[2]).bytes.empty());
}

TEST_CASE("taking a summary back gives the same request as before") {
  Scene scene;
  for (int i = 0; i < 5; ++i) scene.say(50);
  const Id before = *scene.conversation.head();
  const context::BuiltContext request = scene.agent.context(scene.conversation, scene.settings);

  const Compacted compacted =
      scene.agent.compact(scene.conversation, "the tests", scene.settings, scene.ports);
  CHECK(compacted.done);
  CHECK(compacted.after < compacted.before);
  CHECK(model::plain_text(scene.puppet.asked.back().messages[0]).ends_with("the tests"));
  const std::vector<model::Message> shorter =
      scene.agent.context(scene.conversation, scene.settings).context.messages;
  CHECK(shorter != request.context.messages);
  scene.conversation.reload();
  CHECK(scene.agent.context(scene.conversation, scene.settings).context.messages == shorter);

  scene.conversation.move_head(before);
  CHECK(scene.agent.context(scene.conversation, scene.settings).context.messages ==
        request.context.messages);
}

TEST_CASE("without a model the summary is made by rule") {
  Scene scene;
  scene.by_rule = true;
  for (int i = 0; i < 5; ++i) scene.say(50);
  const std::size_t calls = scene.puppet.asked.size();
  CHECK(scene.agent.compact(scene.conversation, "", scene.settings, scene.ports).done);
  CHECK(scene.puppet.asked.size() == calls);
}

TEST_CASE("too little to summarize is said, not done") {
  Scene scene;
  scene.say(50);
  const Compacted compacted =
      scene.agent.compact(scene.conversation, "", scene.settings, scene.ports);
  CHECK_FALSE(compacted.done);
  CHECK(compacted.why_not == "there is too little to summarize yet");
  CHECK(scene.summaries_on_path() == 0);
}

TEST_CASE("a server that cuts without a word is noticed, told about and given less") {
  Scene scene;
  scene.window = {32'000, 1000};
  scene.puppet.reads = 2'000;
  for (int i = 0; i < 6; ++i) scene.say(1'000);
  CHECK(scene.learned.empty());  // a server that is not known to cut is believed
  scene.cuts_silently = true;
  scene.say(1'000);
  REQUIRE(scene.learned.size() == 1);
  CHECK(scene.learned[0].window.tokens == 2'048);
  CHECK(scene.notices.back().starts_with("the model's server read only 2.0k of about "));
  scene.say(100);
  CHECK(scene.puppet.summaries() == 1);
  CHECK(scene.summaries_on_path() > 0);
}
