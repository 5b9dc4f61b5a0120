#include "tests/support/random_session.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/agent/agent.h"
#include "core/model/payloads.h"
#include "core/store/home/file_backend.h"
#include "providers/request.h"
#include "tests/support/append_only.h"
#include "tests/support/homes.h"
#include "tests/support/parts.h"
#include "tests/support/random_transcript.h"
#include "tests/support/temp_dir.h"

namespace skein::test {

namespace {

struct Killed {};  // no std::exception: nothing catches it on the way

const std::vector<model::ModelRef> models{
    {"anthropic", "claude-opus-5-5"},    {"anthropic", "claude-sonnet-5-5"},
    {"anthropic", "claude-opus-4-5"},    {"openai-chat", "gpt-4.1"},
    {"openai-responses", "gpt-5.6-sol"}, {"google", "gemini-3.8-flash"},
    {"mistral", "mistral-large-latest"}, {"deepseek", "deepseek-v4-pro"}};

std::string words(Dice& dice, std::size_t most) {
  constexpr std::array some{"so ", "the file ", "is here ", "and then ", "a line\n", "done "};
  std::string out = "w" + std::to_string(dice.below(1000)) + " ";
  for (std::size_t count = dice.below(most) + 1; count > 0; --count) out += some[dice.below(6)];
  return out;
}

class Player : public model::Provider {
 public:
  Player(std::uint64_t seed, SeededBug bug) : dice_(seed), bug_(bug), on_disk_(seed % 64 == 0) {
    window_ = dice_.chance(20) ? context::Window{} : context::Window{3000 + roll(6000), 500};
    settings_.compact_at = dice_.chance(30) ? 0 : 0.85;
    settings_.model = models[dice_.below(dice_.chance(50) ? 2 : models.size())];
    settings_.rules.mode = permission::Mode::bypass;
    if (on_disk_) dir_.emplace();
    render();
    start();
  }

  SessionReport play(const std::function<void(store::SessionStore&, Id)>& at_end) {
    for (std::size_t actions = 6 + dice_.below(18); actions > 0 && trouble_.empty(); --actions)
      act();
    if (at_end) at_end(*store_, conversation_->session());
    return {trouble_, requests_, judge_.compared(), judge_.steps()};
  }

  model::Message stream(const model::Context& context, const model::ModelRef& model,
                        const model::Ports& ports) override {
    model::Message reply{.role = model::Role::assistant,
                         .provider = model.provider,
                         .model = model.model,
                         .stop = model::Stop::stop};
    if (context.system.find("You write notes") != std::string::npos) {
      reply.content = {model::Text{"the notes: " + words(dice_, 20)}};
      if (dice_.chance(25)) reply.content.clear(), reply.stop = model::Stop::error;
      return reply;
    }
    ++requests_;
    tell_sent(context, model);
    std::string trouble = judge_.judge(with_bug(context), model, *conversation_->head(), branches_);
    if (trouble_.empty()) trouble_ = std::move(trouble);
    if (dice_.chance(3)) return overflow(std::move(reply), ports);
    if (dice_.chance(4)) {
      reply.stop = model::Stop::error;
      reply.error = "overloaded";
      return reply;
    }
    say(reply);
    return reply;
  }

 private:
  std::int64_t roll(std::size_t most) { return static_cast<std::int64_t>(dice_.below(most)); }

  // ---- the model

  // As the provider behind HTTP does.
  void tell_sent(const model::Context& context, const model::ModelRef& model) const {
    if (!context.on_sent) return;
    const catalog::ProviderRow& row = *catalog_.find_provider(model.provider);
    const catalog::ModelRow known = catalog_.find_model(model);
    context.on_sent(providers::sent_request(
        providers::make_request(context, model, row, known).wire.body, model, row, known));
  }

  static model::Message overflow(model::Message reply, const model::Ports& ports) {
    ports.sink(model::Streaming{model::delta::Failed{"too long", true}});
    reply.stop = model::Stop::error;
    reply.error = "too long";
    return reply;
  }

  // Thinking is sealed as the service of the model that is asked would do it.
  model::Thinking thought(Seal& seal) {
    model::Thinking out{.thinking = words(dice_, 10)};
    const handover::WireFormat wire = wire_of(settings_.model);
    if (wire == handover::WireFormat::openai_chat) return out;
    out.signature = binds_thinking(settings_.model)           ? seal.text()
                    : wire == handover::WireFormat::anthropic ? Seal::unbound
                                                              : "c2lnbmVk";
    if (wire == handover::WireFormat::openai_responses)
      out.provider_data = R"({"id":"rs_)" + std::to_string(++items_) + R"("})";
    judge_.remember(seal.text());
    if (wire == handover::WireFormat::anthropic)
      seal.add({{"type", "thinking"}, {"thinking", out.thinking}, {"signature", out.signature}});
    return out;
  }

  void say(model::Message& reply) {
    Seal seal(judge_.last_body());
    const bool responses = reply.provider == "openai-responses";
    const auto item = [&](const char* kind) {
      return responses ? R"({"id":")" + std::string(kind) + std::to_string(++items_) + R"("})" : "";
    };
    const std::size_t rounds = 1 + dice_.below(2);
    for (std::size_t i = 0; i < rounds; ++i) {
      if (dice_.chance(60)) reply.content.emplace_back(thought(seal));
      if (dice_.chance(3)) {  // nothing but thinking
        reply.stop = model::Stop::length;
        return;
      }
      model::Text text{words(dice_, 20), item("msg_")};
      seal.add({{"type", "text"}, {"text", text.text}});
      reply.content.emplace_back(std::move(text));
    }
    if (dice_.chance(45)) {
      for (std::size_t calls = 1 + dice_.below(3); calls > 0; --calls)
        reply.content.emplace_back(model::ToolUse{
            "call_" + std::to_string(dice_.below(40)), names_[dice_.below(names_.size())],
            R"({"path": "f)" + std::to_string(dice_.below(9)) + R"(", "n": 1.50})", item("fc_")});
      reply.stop = model::Stop::tool_use;
    }
    if (dice_.chance(6)) {
      reply.stop = dice_.chance(50) ? model::Stop::interrupted : model::Stop::aborted;
      if (dice_.chance(50)) reply.content.emplace_back(model::Thinking{"half a th"});
    }
    if (dice_.chance(50)) reply.usage = model::Usage{.input = 100 + roll(3000), .output = 50};
  }

  // ---- what skein would do wrong

  model::Context with_bug(model::Context context) const {
    switch (bug_) {
      case SeededBug::none: break;
      case SeededBug::fresh_system: context.system = settings_.system; break;
      case SeededBug::fresh_tools:
        context.tools.clear();
        for (const model::Tool& tool : tools_) context.tools.push_back(tool.spec());
        break;
      case SeededBug::pruned_results:
        for (std::size_t i = 0; i + 8 < context.messages.size(); ++i)
          context::shorten_results(context.messages[i], 100);
        break;
      case SeededBug::lost_news:
        for (std::size_t i = 0; i + 6 < context.messages.size(); ++i)
          if (context.messages[i].continuation) context.messages[i].content.clear();
        break;
      case SeededBug::old_thinking:
        for (model::Message& message : context.messages) restore_thinking(message);
        break;
    }
    return context;
  }

  // As it was first sent.
  void restore_thinking(model::Message& message) const {
    for (const model::Message& saved : said_)
      if (message.role == model::Role::assistant &&
          model::plain_text(saved) == model::plain_text(message) && saved.model == message.model)
        message = saved;
  }

  // ---- the world

  void render() {
    settings_.surroundings = {{"the workspace", folder_},
                              {"AGENTS.md of this workspace", guide_, true}};
    if (guide_.empty()) settings_.surroundings.pop_back();
    settings_.system = "be brief, in " + folder_ + ". " + guide_;
    tools_.clear();
    for (const std::string& name : names_) {
      model::Tool& tool = tools_.emplace_back();
      tool.name = name;
      tool.description = "version " + std::to_string(tool_version_);
      tool.schema = R"({"type":"object","properties":{"path":{"type":"string"}}})";
      tool.effect = model::Effect::reads;
      tool.title = [name](const JsonText&) { return name; };
      tool.run = [this](const JsonText&, const model::ToolPorts&) { return run(); };
    }
  }

  model::ToolOutcome run() {
    if (dice_.chance(2)) throw Killed{};
    if (dice_.chance(3)) stop_ = true;
    if (dice_.chance(3)) redact();  // by another process
    const bool large = dice_.chance(10);
    return model::tool_text(large ? std::string(2000 + dice_.below(30'000), 'x')
                                  : words(dice_, 40));
  }

  // A new process: nothing is left but what is on disk.
  void start() {
    const Id session = conversation_ ? conversation_->session() : Id{};
    conversation_.reset();
    agent_.reset();
    if (!store_ || on_disk_) {
      store_.reset();
      store_.emplace(on_disk_ ? store_at(dir_->path().string())
                              : store::SessionStore(std::make_unique<store::home::FileBackend>(
                                    store::files::memory_files())));
    }
    agent_ =
        std::make_unique<agent::Agent>(agent_parts(*store_, tools_, *this, [&](agent::Parts& with) {
          with.limits = [this](const model::ModelRef&) { return agent::ModelLimits{window_}; };
        }));
    stop_ = false;
    open(session != Id{} ? session : session_called(*store_, "main:test:random"));
    agent::Settings resumed;
    agent_->recovery().recover(*conversation_, resumed, ports());
  }

  void open(Id session) {
    conversation_ = std::make_unique<agent::Conversation>(*store_, session);
    ids_.clear();
    for (const model::Entry& entry : entries_of(*store_, session)) note(entry);
  }

  void note(const model::Entry& entry) {
    branches_.add(entry);
    if (model::is_marginal(entry.type) || entry.type != model::type::message) return;
    ids_.push_back(entry.id);
    const auto message = model::message_from_json(entry.payload);
    if (bug_ == SeededBug::old_thinking && message && message->role == model::Role::assistant)
      said_.push_back(*message);
  }

  model::Ports ports() {
    model::Ports out;
    out.sink = [this](const model::Event& event) {
      if (const auto* saved = std::get_if<model::Committed>(&event)) note(saved->entry);
      if (until_kill_ > 0 && --until_kill_ == 0) throw Killed{};
    };
    out.stop = &stop_;
    return out;
  }

  // ---- the user

  void turn() {
    const std::string text = dice_.chance(10) ? words(dice_, 1500) : words(dice_, 60);
    if (dice_.chance(10)) until_kill_ = 1 + dice_.below(12);
    last_prompt_ = text;
    agent_->run_turn(*conversation_, model::user_message(text), settings_, ports());
    until_kill_ = 0;
    stop_ = false;
  }

  void append(const model::Payload& payload) {
    const store::AppendResult saved = value_of(conversation_->append({model::make_entry(payload)}));
    for (const model::Entry& entry : saved.entries) note(entry);
  }

  void redact() {
    if (!ids_.empty())
      (void)store_->mark(conversation_->session(),
                         model::payload::Redaction{ids_[dice_.below(ids_.size())], "a key"});
  }

  void drop_result() {
    std::vector<Id> results;
    for (const model::Entry& entry : conversation_->path())
      if (const auto message = model::message_of(entry);
          message && message->role == model::Role::tool)
        results.push_back(entry.id);
    if (!results.empty())
      agent_->drop_result(*conversation_, results[dice_.below(results.size())], "[dropped]",
                          settings_, ports());
  }

  // To before the last prompt.
  void undo() {
    const std::vector<model::Entry> path =
        conversation_->path_until([](const model::Entry&) { return false; });
    for (auto entry = path.rbegin(); entry != path.rend(); ++entry) {
      const auto message = entry->type == model::type::message
                               ? model::message_from_json(entry->payload)
                               : std::nullopt;
      if (!message || !model::is_prompt(*message)) continue;
      if (entry->parent) conversation_->move_head(*entry->parent);
      return;
    }
  }

  void change_world() {
    switch (dice_.below(4)) {
      case 0: guide_ = dice_.chance(20) ? "" : words(dice_, 30); break;
      case 1: folder_ = "/home/" + std::to_string(dice_.below(4)); break;
      case 2: ++tool_version_; break;
      default:
        if (names_.size() > 1 && dice_.chance(50))
          names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(dice_.below(names_.size())));
        else
          names_.push_back("tool_" + std::to_string(dice_.below(1000)));
    }
    render();
  }

  void act() try {
    const std::size_t what = dice_.below(100);
    if (what < 48) return turn();
    if (what < 52 && !conversation_->path().empty())
      return void(agent_->go_on(*conversation_, settings_, ports()));
    if (what < 64) {
      if (dice_.chance(70)) change_world();
      return start();
    }
    if (what < 68 && !ids_.empty()) return conversation_->move_head(ids_[dice_.below(ids_.size())]);
    if (what < 73) return undo();
    if (what < 77) {  // the same again
      undo();
      agent_->run_turn(*conversation_, model::user_message(last_prompt_), settings_, ports());
      return;
    }
    if (what < 86) return hand_over();
    if (what < 90) return void(agent_->compact(*conversation_, "", settings_, ports()));
    if (what < 94) {
      redact();
      return conversation_->reload();
    }
    if (what < 95 && !ids_.empty())
      return append(model::payload::ThinkingOffBefore{ids_[dice_.below(ids_.size())]});
    if (what < 96) return agent_->note(*conversation_, words(dice_, 5), settings_, ports());
    if (what < 97)
      return append(model::payload::SystemPromptOverride{dice_.chance(50) ? words(dice_, 5) : ""});
    if (what < 98) return drop_result();
    fork();
  } catch (const Killed&) {
    until_kill_ = 0;
    start();
  }

  void hand_over() {
    settings_.model = models[dice_.below(models.size())];
    settings_.model.thinking =
        dice_.chance(50) ? model::ThinkingLevel::high : model::ThinkingLevel::off;
  }

  void fork() {
    if (!conversation_->head()) return;
    const store::SessionHandle made =
        value_of(store_->branch_from_entry(conversation_->session(), *conversation_->head()));
    open(made.session_id);
  }

  const catalog::Catalog catalog_{};
  Dice dice_;
  SeededBug bug_;
  bool on_disk_;
  std::optional<TempDir> dir_{};
  std::optional<store::SessionStore> store_{};
  std::string folder_ = "/home/0", guide_ = "first guide", last_prompt_ = "hello";
  int tool_version_ = 1, items_ = 0;
  std::vector<std::string> names_{"read", "list", "poke"};
  model::Tools tools_{};
  context::Window window_{};
  agent::Settings settings_{};
  std::atomic<bool> stop_{false};
  std::size_t until_kill_ = 0, requests_ = 0;
  std::unique_ptr<agent::Agent> agent_{};
  std::unique_ptr<agent::Conversation> conversation_{};
  AppendOnlyJudge judge_{};
  Branches branches_{};
  std::vector<Id> ids_{};
  std::vector<model::Message> said_{};
  std::string trouble_{};
};

}  // namespace

SessionReport play_random_session(std::uint64_t seed, SeededBug bug,
                                  const std::function<void(store::SessionStore&, Id)>& at_end) {
  return Player(seed, bug).play(at_end);
}

}  // namespace skein::test
