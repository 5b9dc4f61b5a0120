#include "core/subagents/crew.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/model/payloads.h"
#include "core/store/children.h"
#include "core/text/amounts.h"
#include "core/text/text.h"

namespace skein::subagents {

namespace {

constexpr std::chrono::milliseconds glance{40};
constexpr std::size_t most_report = 32'000;  // bytes, about 8,000 tokens

const char* const cancelled = "cancelled by the user";

std::string signed_off(const Child& child) {
  const Order& order = child.order();
  return "agent " + order.agent.name + " · " + amounts(child.progress()) + " · session " +
         to_string(order.session);
}

struct Report {
  std::string text;
  bool cut = false;
};
// Its last words, as much as the model that asked can take, and what became of it.
Report report_of(const Child& child) {
  Report out{std::string(utf8_prefix(child.text(), most_report))};
  out.cut = out.text.size() < child.text().size();
  if (out.cut) out.text += "\n[cut here; its session has the rest]";
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

// The entry that says whose session it is; it stands at the beginning.
std::optional<model::payload::SubAgent> sub_agent_in(store::SessionStore& store, Id session) {
  const auto first = store.load_session_entries(session, {.limit = 3});
  if (!first) return std::nullopt;
  for (const model::Entry& entry : *first)
    if (auto found = model::read_as<model::payload::SubAgent>(entry)) return found;
  return std::nullopt;
}

}  // namespace

Crew::~Crew() {
  for (const std::shared_ptr<Child>& each : children()) each->stop("skein ended");
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
  if (background)
    outcome = model::tool_text("The agent " + child->order().agent.name +
                               " works in the background, in session " +
                               to_string(child->order().session) +
                               ". What it finds will be told to you; do not wait for it.");
  else
    outcome = wait_for(*child, ports);
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

// For the session that asked, whenever it is worked in next.
void Crew::push(Child& child) const {
  if (parts_.inbox == nullptr) return;
  const Order& order = child.order();
  const std::string session = to_string(order.session);
  parts_.inbox->put(agent::news("The agent " + order.agent.name + " in session " + session +
                                    " has ended. It reports:\n\n" + report_of(child).text,
                                "agent:" + session),
                    order.parent);
}

std::string Crew::left_behind(Id session, const model::ToolUse& call) const {
  for (const store::SessionRecord& each : store::children_of(parts_.store, session)) {
    const auto entry = sub_agent_in(parts_.store, each.header.session);
    if (!entry || entry->call != call.id) continue;
    const std::string id = to_string(each.header.session);
    return "The agent " + entry->name + " had begun it, and had made " +
           counted(static_cast<std::size_t>(each.state.tool_calls), "call") +
           "; all of that is kept in session " + id +
           ". It goes on there if you call `agent` with \"resume\": \"" + id + "\" and a prompt.";
  }
  return "No agent had begun it.";
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
