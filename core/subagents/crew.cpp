#include "core/subagents/crew.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "core/model/payloads.h"
#include "core/store/children.h"
#include "core/subagents/awaited.h"
#include "core/text/amounts.h"
#include "core/text/text.h"

namespace skein::subagents {

namespace {

constexpr std::chrono::milliseconds glance{40};
constexpr int most_tries = 8;
constexpr std::size_t most_report = 32'000;  // bytes, about 8,000 tokens

const char* const cancelled = "cancelled by the user";
const char* const ended_with_skein = "skein ended";

std::string signed_off(const Child& child) {
  const Order& order = child.order();
  return "agent " + order.agent.name + " · " + amounts(child.progress()) + " · session " +
         to_string(order.session);
}

struct Report {
  std::string text;
  bool cut = false;
};
// As much of its last words as the model that asked can take.
Report last_words(const std::string& text) {
  Report out{std::string(utf8_prefix(text, most_report))};
  out.cut = out.text.size() < text.size();
  if (out.cut) out.text += "\n[cut here; its session has the rest]";
  return out;
}

// The same, and what became of it.
Report report_of(const Child& child) {
  Report out = last_words(child.text());
  if (!child.trouble().empty())
    out.text =
        child.trouble() + (out.text.empty() ? "" : "\nWhat it had said until then:\n\n" + out.text);
  if (out.text.empty()) out.text = "It ended without a word.";
  out.text += "\n\n" + signed_off(child);
  return out;
}

const Definition* called(const std::vector<Definition>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Definition::name);
  return found == all.end() ? nullptr : &*found;
}

std::string news_of(const std::string& agent, Id session, const std::string& report) {
  return "The agent " + agent + " in session " + to_string(session) +
         " has ended. It reports:\n\n" + report;
}

bool is_busy(store::SessionStore& store, Id session) {
  const auto alone = store.hold(session, store::LockMode::exclusive);
  return !alone && alone.error().kind == store::Failure::Kind::busy;
}

std::string made_calls(std::int64_t calls) {
  return "had made " + counted(static_cast<std::size_t>(calls), "call");
}

}  // namespace

Crew::~Crew() {
  for (const std::shared_ptr<Child>& each : children()) each->stop(ended_with_skein);
}

std::vector<std::shared_ptr<Child>> Crew::children() const {
  const std::lock_guard lock(mutex_);
  return children_;
}

void Crew::bind(const agent::Turn& turn) {
  const std::lock_guard lock(mutex_);
  settings_ = turn.settings;
  calls_left_ = turn.settings.max_calls - turn.end.calls;
  if (std::exchange(turn_, turn.run_id) != turn.run_id) spent_ = 0;
}

std::string Crew::why_spent() const {
  const std::lock_guard lock(mutex_);
  if (parts_.budget > 0 && spent_ >= parts_.budget)
    return "the budget for sub-agents (agent-budget, " + dollars(parts_.budget) +
           " a turn) is used up";
  if (calls_left_ <= 0) return "the limit on model calls for one prompt is reached (--max-turns)";
  return {};
}

std::string Crew::count(std::optional<double> dollars) {
  {
    const std::lock_guard lock(mutex_);
    --calls_left_;
    spent_ += dollars.value_or(0);
  }
  return why_spent();
}

// A place is for one that works; others wait, or are refused.
bool Crew::take_place(const model::ToolPorts& ports, bool waits) {
  std::unique_lock lock(mutex_);
  while (places_ >= parts_.most) {
    if (!waits || ports.stopped()) return false;
    freed_.wait_for(lock, glance);
  }
  ++places_;
  return true;
}

void Crew::give_place_back() {
  {
    const std::lock_guard lock(mutex_);
    --places_;
  }
  freed_.notify_all();
}

// The session of an earlier one, which must be this session's own.
void Crew::find_earlier(const std::string& name, Prepared& out) const {
  const auto found = parts_.store.find(name);
  if (!found || !store::is_child(*found) ||
      found->header.parent_session->session != out.order.parent) {
    out.why_not = "no agent of this conversation has the session '" + name + "'";
    return;
  }
  out.order.session = found->header.session;
  out.order.goes_on = true;
  for (const std::shared_ptr<Child>& each : children())
    if (each->order().session == out.order.session && !each->wait({}))
      out.why_not = "the agent in session " + name + " is still at work";
}

Crew::Prepared Crew::prepare(const Request& request, const model::ToolPorts& ports) const {
  Prepared out;
  Order& order = out.order;
  order.parent = *ports.session;
  order.session = random_id();
  if (out.why_not = why_spent(); !out.why_not.empty()) return out;
  std::string name = request.agent;
  if (!request.resume.empty()) {
    find_earlier(request.resume, out);
    if (!out.why_not.empty()) return out;
    if (name.empty())
      if (const auto entry = sub_agent_in(parts_.store, order.session)) name = entry->name;
  }
  const std::vector<Definition> all = parts_.agents();
  const Definition* agent = called(all, name.empty() ? "general" : name);
  if (agent == nullptr) {
    std::vector<std::string> names;
    for (const Definition& each : all) names.push_back(each.name);
    out.why_not = "there is no agent '" + name + "'; there are: " + listed(names);
    return out;
  }
  order.agent = *agent;
  if (!request.model.empty()) {
    if (parts_.may_choose(request.model))
      order.agent.model = request.model;
    else
      out.remark = "The model " + request.model +
                   " was not used: the user has not listed it in agent-models.\n\n";
  }
  order.description = request.description;
  order.prompt = request.prompt;
  order.background = (request.background || agent->background) && parts_.background;
  order.entry = store::value_or_throw(parts_.store.open(order.parent)).state.head.value_or(Id{});
  order.call = ports.call;
  order.settings = settings_;
  if (!order.background) order.in_turn = ports.in_turn;
  out.make = parts_.hire(order);
  return out;
}

std::shared_ptr<Child> Crew::begin(Prepared& prepared, const model::ToolPorts& ports) {
  Child::Links links;
  links.count = [this](std::optional<double> dollars) { return count(dollars); };
  const bool background = prepared.order.background;
  if (!background) links.ask = ports.ask;
  links.ended = [this, background](Child& child) {
    give_place_back();
    if (background) push(child);
  };
  auto child = std::make_shared<Child>(std::move(prepared.order), std::move(prepared.make),
                                       std::move(links));
  const std::lock_guard lock(mutex_);
  children_.push_back(child);
  return child;
}

model::ToolOutcome Crew::run(const Request& request, const model::ToolPorts& ports) {
  if (!ports.in_turn || !ports.session)
    return model::tool_failure("an agent can be asked only within a turn, where threads can run");
  Prepared prepared{.why_not = cancelled};
  ports.in_turn([&] {
    try {
      prepared = prepare(request, ports);
    } catch (const Error& error) {
      prepared.why_not = error.what();
    }
  });
  if (!prepared.why_not.empty()) return model::tool_failure(prepared.why_not);
  const bool background = prepared.order.background;
  if (!take_place(ports, !background))
    return model::tool_failure(
        background ? counted(parts_.most, "agent is", "agents are") +
                         " at work, and no more may be (max-agents); ask again when one has ended"
                   : cancelled);
  std::shared_ptr<Child> child;
  try {
    child = begin(prepared, ports);
  } catch (const Error&) {
    give_place_back();
    throw;
  }
  model::ToolOutcome outcome;
  if (background) {
    outcome = model::tool_text("The agent " + child->order().agent.name +
                               " works in the background, in session " +
                               to_string(child->order().session) +
                               ". What it finds will be told to you; do not wait for it.");
    outcome.meta = awaited_meta(child->order().session);
  } else {
    outcome = wait_for(*child, ports);
  }
  if (!prepared.remark.empty())
    outcome.content.insert(outcome.content.begin(), model::Text{prepared.remark});
  return outcome;
}

model::ToolOutcome Crew::wait_for(Child& child, const model::ToolPorts& ports) const {
  std::string shown;
  while (!child.wait(glance)) {
    if (ports.stopped()) child.stop(cancelled);
    const Progress now = child.progress();
    const std::string line = now.doing + " · " + amounts(now) + "\n";
    if (line != shown) ports.output(shown = line);
  }
  child.finish();
  const Report report = report_of(child);
  model::ToolOutcome outcome =
      child.trouble().empty() ? model::tool_text(report.text) : model::tool_failure(report.text);
  outcome.model_calls = child.progress().answers;
  for (const std::string& text : child.warnings())
    outcome.notice +=
        (outcome.notice.empty() ? "agent " : "\nagent ") + child.order().agent.name + ": " + text;
  if (report.cut && ports.keep_blob) outcome.blob = ports.keep_blob(child.text());
  return outcome;
}

void Crew::push(Child& child) const {
  const Order& order = child.order();
  parts_.tell(order.parent,
              agent::news(news_of(order.agent.name, order.session, report_of(child).text),
                          origin_of(order.session)),
              "agent " + order.agent.name + ": " + std::string(name(child.progress().state)) +
                  (order.description.empty() ? "" : " · " + order.description));
}

std::string Crew::left_behind(Id session, const model::ToolUse& call) const {
  for (const store::SessionRecord& each : store::children_of(parts_.store, session)) {
    const auto entry = sub_agent_in(parts_.store, each.header.session);
    if (!entry || entry->call != call.id) continue;
    return "The agent " + entry->name + " had begun it, and " + made_calls(each.state.tool_calls) +
           ". " + how_to_resume(each.header.session);
  }
  return "No agent had begun it.";
}

// What another process works on will be told there. One that was killed a moment ago may seem to
// work still.
void Crew::tell_what_was_left(Id parent, Id session) {
  for (int tries = 0; is_busy(parts_.store, session); ++tries) {
    if (tries == most_tries) return;
    std::this_thread::sleep_for(glance);
  }
  const LeftWork left = left_work(parts_.store, session);
  std::string text =
      left.ended
          ? news_of(left.agent, session, last_words(left.text).text)
          : "The agent " + left.agent + " in session " + to_string(session) +
                " was interrupted: skein ended while it worked in the background. By then it " +
                made_calls(left.calls) + ". " + how_to_resume(session);
  parts_.tell(parent, agent::news(text, origin_of(session)),
              "agent " + left.agent +
                  (left.ended ? " has ended" : " was interrupted when skein ended") + "; /switch " +
                  store::child_key(session) + " shows what it did");
  told_.insert(session);
}

void Crew::take_up(const agent::Conversation& conversation) {
  const std::vector<std::shared_ptr<Child>> ours = children();
  for (const Id session : awaited_in(conversation)) {
    const auto is_it = [&](const auto& child) { return child->order().session == session; };
    if (std::ranges::any_of(ours, is_it) || told_.contains(session)) continue;
    try {
      tell_what_was_left(conversation.session(), session);
    } catch (const Error&) {  // it was deleted meanwhile: there is nothing to tell of it
      told_.insert(session);
    }
  }
}

std::vector<Line> Crew::lines(Id session) const {
  const std::vector<std::shared_ptr<Child>> ours = children();
  std::vector<Line> out;
  for (const store::SessionRecord& each : store::children_of(parts_.store, session)) {
    Line line{.session = each.header.session, .title = each.state.title, .state = "ended before"};
    line.progress.calls = static_cast<int>(each.state.tool_calls);
    line.progress.usage = model::total_usage(each.state);
    line.progress.priced = false;
    // The last one that worked in it.
    const auto found = std::find_if(ours.rbegin(), ours.rend(), [&](const auto& child) {
      return child->order().session == line.session;
    });
    if (found != ours.rend()) {
      line.progress = (*found)->progress();
      line.state = name(line.progress.state);
    }
    out.push_back(std::move(line));
  }
  return out;
}

std::size_t Crew::working() const {
  const std::vector<std::shared_ptr<Child>> all = children();
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [](const auto& each) { return !each->wait({}); }));
}

std::size_t Crew::stop_all(std::chrono::milliseconds patience) {
  const auto due = std::chrono::steady_clock::now() + patience;
  std::size_t count = 0;
  const std::vector<std::shared_ptr<Child>> all = children();
  for (const std::shared_ptr<Child>& each : all)
    if (!each->wait({})) each->stop(ended_with_skein), ++count;
  for (const std::shared_ptr<Child>& each : all)
    each->wait(std::max(std::chrono::milliseconds(0),
                        std::chrono::duration_cast<std::chrono::milliseconds>(
                            due - std::chrono::steady_clock::now())));
  return count;
}

bool Crew::works_in(Id session) const {
  return std::ranges::any_of(children(), [&](const auto& each) {
    return each->order().session == session && !each->wait({});
  });
}

bool Crew::stop(std::string_view id) {
  bool any = false;
  for (const std::shared_ptr<Child>& each : children())
    if (!id.empty() && to_string(each->order().session).starts_with(id) && !each->wait({})) {
      each->stop("by the user");
      any = true;
    }
  return any;
}

}  // namespace skein::subagents
