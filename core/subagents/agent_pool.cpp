#include "core/subagents/agent_pool.h"

#include "core/store/children.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::subagents {

namespace {

constexpr std::string_view agent_origin = "agent:";
// How far back it is looked: opening a long session must stay quick.
constexpr std::size_t most_entries = 1000, most_payload = 1u << 20;

// Where news of the agent in this session comes from; see agent::news.
std::string origin_of(Id session) { return std::string(agent_origin) + to_string(session); }

// The sessions of those that are awaited on the path, the first one first.
std::vector<Id> awaited_in(const agent::Conversation& conversation) {
  std::vector<Id> out;
  if (conversation.state().tool_calls == 0) return out;
  std::set<std::string> reported;
  std::size_t seen = 0, bytes = 0;
  conversation.path_until([&](const model::Entry& entry) {
    if (entry.meta.find("\"agent:") != JsonText::npos) {
      const Json meta = parse_json(entry.meta).value_or(Json::object());
      reported.insert(string_at(meta, "origin"));
      const std::string awaited = string_at(meta, "awaits");
      if (awaited.starts_with(agent_origin) && reported.erase(awaited) == 0)
        if (const auto session = parse_id(std::string_view(awaited).substr(agent_origin.size())))
          out.push_back(*session);
    }
    bytes += entry.payload.size();
    return ++seen >= most_entries || bytes >= most_payload;
  });
  std::ranges::reverse(out);
  return out;
}

// The entry at the beginning that says whose session it is; none: it is not a sub-agent's.
std::optional<model::payload::SubAgent> sub_agent_in(store::SessionStore& store, Id session) {
  const auto first = store.load_session_entries(session, {.limit = 3});
  if (!first) return std::nullopt;
  for (const model::Entry& entry : *first)
    if (auto found = model::read_as<model::payload::SubAgent>(entry)) return found;
  return std::nullopt;
}

// The last answer of one that no longer runs, if that was its end.
std::optional<std::string> last_answer(const agent::Conversation& conversation) {
  using model::Stop;
  const std::vector<model::Entry>& path = conversation.path();
  const auto last =
      std::ranges::find(path.rbegin(), path.rend(), model::type::message, &model::Entry::type);
  const auto message = last != path.rend() ? model::message_of(*last) : std::nullopt;
  if (!message || message->role != model::Role::assistant ||
      (message->stop != Stop::stop && message->stop != Stop::length &&
       message->stop != Stop::refusal))
    return std::nullopt;
  return model::plain_text(*message);
}

// How a model continues it.
std::string how_to_resume(Id session) {
  const std::string id = to_string(session);
  return "Everything so far is saved in session " + id +
         ". To resume it, call `agent` with \"resume\": \"" + id + "\" and a prompt.";
}

constexpr std::chrono::milliseconds glance{40};
constexpr int most_tries = 8;
constexpr std::size_t most_report = 32'000;  // bytes, about 8,000 tokens

const char* const cancelled = "cancelled by the user";
const char* const ended_with_skein = "skein ended";

// As much of its last words as the model that asked can take.
std::string last_words(const std::string& text) {
  if (text.size() <= most_report) return text;
  return std::string(utf8_prefix(text, most_report)) + "\n[cut here; its session has the rest]";
}

// The same, and what became of it.
std::string report_of(const Child& child) {
  const AgentTask& task = child.task();
  std::string out = last_words(child.text());
  if (!child.trouble().empty())
    out = child.trouble() + (out.empty() ? "" : "\nWhat it had written until then:\n\n" + out);
  return (out.empty() ? "It ended without a report." : out) + "\n\nagent " + task.agent.name +
         " · " + amounts(child.progress()) + " · session " + to_string(task.session);
}

std::string news_of(const std::string& agent, Id session, const std::string& report) {
  return "The agent " + agent + " in session " + to_string(session) +
         " has ended. It reports:\n\n" + report;
}

bool is_busy(store::SessionStore& store, Id session) {
  const auto alone = store.presence().hold(session, store::LockMode::exclusive);
  return !alone && alone.error().kind == store::Failure::Kind::busy;
}

std::string made_calls(std::int64_t calls) {
  return "had made " + counted(static_cast<std::size_t>(calls), "call");
}

}  // namespace

AgentPool::~AgentPool() {
  for (const std::shared_ptr<Child>& each : children()) each->stop(ended_with_skein);
}

std::vector<std::shared_ptr<Child>> AgentPool::children() const {
  const std::lock_guard lock(mutex_);
  return children_;
}

void AgentPool::bind(const agent::Turn& turn) {
  const std::lock_guard lock(mutex_);
  settings_ = turn.settings;
  calls_left_ = turn.settings.max_calls - turn.end.calls;
}

std::string AgentPool::why_spent() const {
  const std::lock_guard lock(mutex_);
  if (calls_left_ <= 0) return "the limit on model calls for one prompt is reached (--max-turns)";
  return {};
}

std::string AgentPool::count(Id parent, std::optional<double> dollars) {
  {
    const std::lock_guard lock(mutex_);
    --calls_left_;
    Spent& spent = to_tell_[parent];
    spent.dollars += dollars.value_or(0);
    spent.at_least = spent.at_least || !dollars;
  }
  return why_spent();
}

// A place is for one that works; others wait, or are refused.
bool AgentPool::take_place(const model::ToolPorts& ports, bool waits) {
  std::unique_lock lock(mutex_);
  while (places_ >= parts_.most) {
    if (!waits || ports.stopped()) return false;
    freed_.wait_for(lock, glance);
  }
  ++places_;
  return true;
}

void AgentPool::give_place_back() {
  const std::lock_guard lock(mutex_);
  --places_;
  freed_.notify_all();
}

// The session of an earlier one, which must be this session's own.
void AgentPool::find_earlier(const std::string& name, Prepared& out) const {
  const auto found = parts_.store.find(name);
  if (!found || !store::is_child(*found) ||
      found->header.parent_session->session != out.task.parent) {
    out.why_not = "no agent of this conversation has the session '" + name + "'";
    return;
  }
  out.task.session = found->header.session;
  out.task.goes_on = true;
  if (works_in(out.task.session))
    out.why_not = "the agent in session " + name + " is still running";
}

AgentPool::Prepared AgentPool::prepare(const Request& request,
                                       const model::ToolPorts& ports) const {
  Prepared out;
  AgentTask& task = out.task;
  task.parent = *ports.session;
  task.session = random_id();
  if (out.why_not = why_spent(); !out.why_not.empty()) return out;
  std::string name = request.agent;
  if (!request.resume.empty()) {
    find_earlier(request.resume, out);
    if (!out.why_not.empty()) return out;
    if (name.empty())
      if (const auto entry = sub_agent_in(parts_.store, task.session)) name = entry->name;
  }
  const std::vector<Definition> all = parts_.agents();
  const auto agent = std::ranges::find(all, name.empty() ? "general" : name, &Definition::name);
  if (agent == all.end()) {
    out.why_not =
        "there is no agent '" + name + "'; there are: " + listed(all, ", ", &Definition::name);
    return out;
  }
  task.agent = *agent;
  if (!request.model.empty() && parts_.may_choose(request.model))
    task.agent.model = request.model;
  else if (!request.model.empty())
    out.remark = "The model " + request.model +
                 " was not used: the user has not listed it in agent-models.\n\n";
  task.description = request.description;
  task.prompt = request.prompt;
  task.background = (request.background || agent->background) && parts_.background;
  task.entry = parts_.store.open(task.parent).state.head.value_or(Id{});
  task.call = ports.call;
  task.settings = settings_;
  if (!task.background) task.in_turn = ports.in_turn;
  out.make = parts_.spawn(task);
  return out;
}

std::shared_ptr<Child> AgentPool::begin(Prepared& prepared, const model::ToolPorts& ports) {
  Child::Links links{};
  links.count = [this, parent = prepared.task.parent](std::optional<double> dollars) {
    return count(parent, dollars);
  };
  const bool background = prepared.task.background;
  if (parts_.budget != nullptr)
    parts_.budget->add_child(prepared.task.session, prepared.task.parent);
  if (!background) links.ask = ports.ask;
  links.ended = [this, background](Child& child) {
    give_place_back();
    if (background) push(child);
  };
  const std::lock_guard lock(mutex_);  // it is in the list before it can report its end
  auto child =
      std::make_shared<Child>(std::move(prepared.task), std::move(prepared.make), std::move(links));
  children_.push_back(child);
  return child;
}

model::ToolOutcome AgentPool::run(const Request& request, const model::ToolPorts& ports) {
  if (!ports.in_turn || !ports.session)
    return model::tool_failure("agents can be started only during a turn that can start threads");
  Prepared prepared{.why_not = cancelled};
  ports.in_turn([&] {
    try {
      prepared = prepare(request, ports);
    } catch (const Error& error) {
      prepared.why_not = error.what();
    }
  });
  if (!prepared.why_not.empty()) return model::tool_failure(prepared.why_not);
  const bool background = prepared.task.background;
  if (!take_place(ports, !background))
    return model::tool_failure(
        background ? counted(parts_.most, "agent is", "agents are") +
                         " running, which is the limit (max-agents); try again when one has ended"
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
    const Id session = child->task().session;
    outcome = model::tool_text("The agent " + child->task().agent.name +
                               " works in the background, in session " + to_string(session) +
                               ". You will get its report; do not wait for it.");
    outcome.meta = dump({{"awaits", origin_of(session)}});  // there will be news of it
  } else {
    outcome = wait_for(*child, ports);
  }
  if (!prepared.remark.empty())
    outcome.content.insert(outcome.content.begin(), model::Text{prepared.remark});
  return outcome;
}

model::ToolOutcome AgentPool::wait_for(Child& child, const model::ToolPorts& ports) const {
  std::string shown;
  while (!child.wait(glance)) {
    if (ports.stopped()) child.stop(cancelled);
    const Progress now = child.progress();
    const std::string line = now.doing + " · " + amounts(now) + "\n";
    if (line != shown) ports.output(shown = line);
  }
  child.finish();
  model::ToolOutcome outcome = child.trouble().empty() ? model::tool_text(report_of(child))
                                                       : model::tool_failure(report_of(child));
  outcome.model_calls = child.progress().answers;
  for (const std::string& text : child.warnings())
    outcome.notice +=
        (outcome.notice.empty() ? "agent " : "\nagent ") + child.task().agent.name + ": " + text;
  if (child.text().size() > most_report && ports.keep_blob)
    outcome.blob = ports.keep_blob(child.text());
  return outcome;
}

void AgentPool::push(Child& child) const {
  const AgentTask& task = child.task();
  parts_.tell(task.parent,
              agent::news(news_of(task.agent.name, task.session, report_of(child)),
                          origin_of(task.session)),
              "agent " + task.agent.name + ": " + std::string(name(child.progress().state)) +
                  (task.description.empty() ? "" : " · " + task.description));
}

std::string AgentPool::left_behind(Id session, const model::ToolUse& call) const {
  for (const store::SessionRecord& each : store::children_of(parts_.store, session)) {
    const auto entry = sub_agent_in(parts_.store, each.header.session);
    if (!entry || entry->call != call.id) continue;
    return "The agent " + entry->name + " had started it and " + made_calls(each.state.tool_calls) +
           ". " + how_to_resume(each.header.session);
  }
  return "No agent had started it.";
}

// Another process reports what it works on. One that was killed a moment ago may seem to work
// still.
void AgentPool::report_left(Id parent, Id session) {
  for (int tries = 0; is_busy(parts_.store, session); ++tries) {
    if (tries == most_tries) return;
    std::this_thread::sleep_for(glance);
  }
  const agent::Conversation conversation(parts_.store, session);
  const auto entry = sub_agent_in(parts_.store, session);
  const std::string agent = entry ? entry->name : "";
  const std::optional<std::string> answer = last_answer(conversation);
  const std::string text =
      answer ? news_of(agent, session, last_words(*answer))
             : "The agent " + agent + " in session " + to_string(session) +
                   " was interrupted: skein ended while it worked in the background. By then it " +
                   made_calls(conversation.state().tool_calls) + ". " + how_to_resume(session);
  parts_.tell(parent, agent::news(text, origin_of(session)),
              "agent " + agent + (answer ? " has ended" : " was interrupted when skein ended") +
                  "; /switch " + store::child_key(session) + " shows what it did");
  reported_.insert(session);
}

// The list of all sessions is long, so it is read once, when it is first needed.
std::map<Id, AgentPool::UsageByModel> AgentPool::earlier(Id session) {
  const auto [place, is_new] = earlier_.try_emplace(session);
  std::map<Id, UsageByModel>& found = place->second;
  if (!is_new) return found;
  try {
    for (store::SessionRecord& each : store::children_of(parts_.store, session))
      found[each.header.session] = std::move(each.state.usage);
  } catch (const Error&) {  // what these have used is left out
  }
  return found;
}

AgentPool::UsageByModel AgentPool::used_by(Id session) {
  std::map<Id, UsageByModel> each = earlier(session);
  for (const std::shared_ptr<Child>& child : children())
    if (child->task().parent == session)
      if (Progress now = child->progress(); !now.used.empty())
        each[child->task().session] = std::move(now.used);
  UsageByModel out;
  for (const auto& [helper, used] : each)
    for (const auto& [model, usage] : used) out[model] += usage;
  return out;
}

AgentPool::Spent AgentPool::take_spent() {
  const std::lock_guard lock(mutex_);
  return open_ ? std::exchange(to_tell_[*open_], {}) : Spent{};
}

void AgentPool::take_up(const agent::Conversation& conversation) {
  open_ = conversation.session();
  const std::vector<std::shared_ptr<Child>> ours = children();
  for (const Id session : awaited_in(conversation)) {
    const auto is_it = [&](const auto& child) { return child->task().session == session; };
    if (std::ranges::any_of(ours, is_it) || reported_.contains(session)) continue;
    try {
      report_left(conversation.session(), session);
    } catch (const Error&) {  // it has been deleted: there is nothing to report
      reported_.insert(session);
    }
  }
}

std::vector<AgentLine> AgentPool::lines(Id session) const {
  const std::vector<std::shared_ptr<Child>> ours = children();
  std::vector<AgentLine> out;
  for (const store::SessionRecord& each : store::children_of(parts_.store, session)) {
    AgentLine line{
        .session = each.header.session, .title = each.state.title, .state = "ended before"};
    line.progress.calls = static_cast<int>(each.state.tool_calls);
    line.progress.usage = model::total_usage(each.state);
    line.progress.priced = false;
    // The last one that worked in it.
    const auto found = std::find_if(ours.rbegin(), ours.rend(), [&](const auto& child) {
      return child->task().session == line.session;
    });
    if (found != ours.rend()) {
      line.progress = (*found)->progress();
      line.state = name(line.progress.state);
    }
    out.push_back(std::move(line));
  }
  return out;
}

std::size_t AgentPool::working() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(children(), [](const auto& each) { return !each->wait({}); }));
}

std::size_t AgentPool::stop_all(std::chrono::milliseconds patience) {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  const auto due = steady_clock::now() + patience;
  std::vector<std::shared_ptr<Child>> all = children();
  std::erase_if(all, [](const auto& each) { return each->wait({}); });
  for (const std::shared_ptr<Child>& each : all) each->stop(ended_with_skein);
  for (const std::shared_ptr<Child>& each : all)
    each->wait(std::max(milliseconds(0),
                        std::chrono::duration_cast<milliseconds>(due - steady_clock::now())));
  return all.size();
}

bool AgentPool::works_in(Id session) const {
  return std::ranges::any_of(children(), [&](const auto& each) {
    return each->task().session == session && !each->wait({});
  });
}

bool AgentPool::stop(std::string_view id) {
  bool any = false;
  for (const std::shared_ptr<Child>& each : children())
    if (!id.empty() && to_string(each->task().session).starts_with(id) && !each->wait({})) {
      each->stop("by the user");
      any = true;
    }
  return any;
}

}  // namespace skein::subagents
