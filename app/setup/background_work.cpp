#include "app/setup/background_work.h"

#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::app {

void News::enter(Id session) {
  const std::lock_guard lock(mutex_);
  entered_ = session;
}

void News::put(Id session, Item item) {
  const std::lock_guard lock(mutex_);
  inbox_.put(item.entry, session);
  items_[session].push_back(std::move(item));
}

void News::tell(const std::string& notice) {
  const std::lock_guard lock(mutex_);
  if (!notice.empty()) notices_ += notice + "\n";
}

void News::seen(Id session, const std::string& about) {
  const std::lock_guard lock(mutex_);
  std::erase_if(items_[session], [&](const Item& each) {
    if (each.about != about) return false;
    inbox_.take_back(each.entry.id);
    return true;
  });
}

News::Notices News::take_notices() {
  const std::lock_guard lock(mutex_);
  Notices out{.text = std::exchange(notices_, "")};
  if (!entered_) return out;
  for (Item& each : items_[*entered_])
    if (const std::string line = std::exchange(each.notice, ""); !line.empty()) {
      out.text += line + "\n";
      out.wake = out.wake || each.wakes;
    }
  return out;
}

bool News::has_notices() const {
  const std::lock_guard lock(mutex_);
  if (!notices_.empty()) return true;
  const auto found = entered_ ? items_.find(*entered_) : items_.end();
  return found != items_.end() &&
         std::ranges::any_of(found->second, [](const Item& each) { return !each.notice.empty(); });
}

namespace {

std::string command_line(const jobs::Record& job) {
  return job.command.substr(0, job.command.find('\n'));
}

std::string origin_of(int job) { return "job:" + std::to_string(job); }

using model::ModelRef, subagents::Definition;

// What --agents says.
std::vector<Definition> given_agents(const std::string& json) {
  std::vector<Definition> out;
  if (json.empty()) return out;
  const std::optional<Json> all = parse_json(json);
  if (!all || !all->is_object())
    throw UsageError(
        "--agents takes a JSON object, {\"NAME\": {\"description\": …, \"prompt\": …}}");
  for (const auto& [name, given] : all->items()) {
    out.push_back(subagents::definition_from(name, dump(given)));
    if (!out.back().refusal.empty()) throw UsageError("--agents: " + out.back().refusal);
    out.back().file = "--agents";
  }
  return out;
}

// Those of --agents stand above all others.
std::vector<Definition> all_agents(const SubAgents::Parts& parts,
                                   std::vector<std::string>& remarks) {
  std::vector<Definition> out = given_agents(parts.invocation.agents);
  for (Definition& each : parts.project.agents(remarks))
    if (std::ranges::find(out, each.name, &Definition::name) == out.end())
      out.push_back(std::move(each));
  return out;
}

}  // namespace

// Without a place that lasts nothing could be found again, so nothing is kept running either.
BackgroundJobs::BackgroundJobs(Parts parts)
    : parts_(std::move(parts)),
      jobs_(std::make_shared<jobs::Jobs>(jobs::Jobs::Settings{
          .folder = [this] { return parts_.folder.empty() ? temporary_.path() : parts_.folder; },
          .clean = [this](std::string text) { return parts_.models.clean(std::move(text)); }})) {
  jobs_->on_end([this](Id session, const jobs::Record& job, const std::string& report) {
    note_end(session, job, report);
  });
  jobs_->on_seen([this](Id session, int job) { parts_.news.seen(session, origin_of(job)); });
}

void BackgroundJobs::note_end(Id session, const jobs::Record& job, const std::string& report) {
  model::Entry entry = agent::news(report, origin_of(job.id));
  Json meta = parse_json(entry.meta).value_or(Json::object());
  meta.update(parse_json(jobs::meta_of(job)).value_or(Json::object()));
  entry.meta = dump(meta);
  parts_.news.seen(session, origin_of(job.id));  // a session that is opened again tells it again
  parts_.news.put(session, {.about = origin_of(job.id),
                            .entry = std::move(entry),
                            .notice = "job " + std::to_string(job.id) + ": " +
                                      state_text(job, now_ms()) + " · " + command_line(job),
                            .wakes = parts_.wake});
}

std::vector<std::string> BackgroundJobs::take_up(const agent::Conversation& conversation) {
  const Id session = conversation.session();
  const jobs::Jobs::Left left = jobs_->take_up(session, [&](int id) {
    const auto tells = [id](const model::Entry& entry) { return jobs::tells_end(entry.meta, id); };
    return std::ranges::any_of(conversation.path_until(tells), tells);
  });
  for (std::size_t i = 0; i < left.ended.size(); ++i)
    note_end(session, left.ended[i], left.reports[i]);
  std::vector<std::string> out;
  for (const jobs::Record& job : left.running)
    out.push_back("job " + std::to_string(job.id) + " is still running: " + command_line(job) +
                  " (/jobs shows it, /jobs stop " + std::to_string(job.id) + " ends it)");
  return out;
}

std::string BackgroundJobs::leave(bool keep) {
  const std::size_t running = jobs_->running();
  if (running == 0) return {};
  if (!keep) {
    jobs_->stop_all();
    return counted(running, "job was", "jobs were") + " stopped";
  }
  const std::size_t lost = jobs_->keep_all();
  std::string out = counted(running - lost, "job keeps", "jobs keep") +
                    " running without skein; `skein -c` shows " + (running == 1 ? "it" : "them");
  if (lost > 0)
    out +=
        "; " +
        counted(lost, "could not be kept running and was", "could not be kept running and were") +
        " stopped";
  return out;
}

// Claude Code's words for its own models, in definitions that were written for it, mean something
// where an alias says so.
std::optional<ModelRef> model_of(const Definition& role, const catalog::Catalog& known) {
  const bool tier = role.model == "sonnet" || role.model == "opus" || role.model == "haiku";
  if (role.model.empty() || (tier && !known.aliases().contains(role.model))) return std::nullopt;
  return known.parse(role.model);
}

SubAgents::SubAgents(Parts parts, Wanted wanted)
    : parts_(parts), wanted_(wanted == Wanted::yes && parts.config.max_agents != 0) {
  look();
}

std::unique_ptr<subagents::AgentPool> SubAgents::make_pool(store::SessionStore& store, News& news,
                                                           budget::Budget* budget,
                                                           Hire hire) const {
  if (!wanted_) return nullptr;
  const config::Config& config = parts_.config;
  return std::make_unique<subagents::AgentPool>(subagents::AgentPool::Parts{
      .store = store,
      .most = static_cast<std::size_t>(config.max_agents),
      .background = !parts_.invocation.print && config.background,
      .budget = budget,
      .agents = [this] { return agents_; },
      .may_choose = [this](const std::string& model) { return may_choose(model); },
      .spawn = std::move(hire),
      .tell =
          [&news, wakes = config.wake](Id session, model::Entry entry, std::string notice) {
            const std::string about =
                string_at(parse_json(entry.meta).value_or(Json::object()), "origin");
            news.put(session, {about, std::move(entry), std::move(notice), wakes});
          }});
}

bool SubAgents::look() {
  if (!wanted_) return false;
  const std::string before = subagents::agent_list(agents_, std::string::npos);
  remarks_.clear();
  agents_ = all_agents(parts_, remarks_);
  return subagents::agent_list(agents_, std::string::npos) != before;
}

Definition find_agent(const SubAgents::Parts& parts, const std::string& name,
                      std::vector<std::string>& remarks) {
  std::vector<std::string> names;
  for (Definition& each : all_agents(parts, remarks)) {
    if (each.name == name) return std::move(each);
    names.push_back(std::move(each.name));
  }
  throw UsageError("there is no agent '" + name + "'; known agents: " + listed(names));
}

std::vector<std::string> SubAgents::names() const {
  std::vector<std::string> out;
  for (const Definition& each : agents_) out.push_back(each.name);
  return out;
}

// In at most one percent of the window, by the model that is asked first.
std::string SubAgents::list(std::int64_t window) const {
  constexpr std::int64_t most_tokens = 4000, bytes_per_token = 4;
  const std::size_t built_in = subagents::built_in().size();
  if (agents_.size() <= built_in &&
      std::ranges::all_of(agents_, [](const Definition& each) { return each.file.empty(); }))
    return {};
  const std::int64_t tokens = window > 0 ? std::min(most_tokens, window / 100) : most_tokens;
  return subagents::agent_list(agents_, static_cast<std::size_t>(tokens * bytes_per_token));
}

bool SubAgents::may_choose(const std::string& model) const {
  const ModelRef wanted = parts_.catalog.parse(model);
  return std::ranges::any_of(parts_.config.agent_models, [&](const std::string& each) {
    return model::to_string(parts_.catalog.parse(each)) == model::to_string(wanted);
  });
}

session::Found<Definition> SubAgents::known() {
  look();
  return {agents_, remarks_};
}

}  // namespace skein::app
