#include "app/job_news.h"

#include <algorithm>
#include <utility>

#include "core/text/json.h"

namespace skein::app {

namespace {

model::Entry entry_for(const jobs::Record& job, const std::string& report) {
  model::Entry entry = agent::news(report, "job:" + std::to_string(job.id));
  Json meta = parse_json(entry.meta).value_or(Json::object());
  meta.update(parse_json(jobs::meta_of(job)).value_or(Json::object()));
  entry.meta = dump(meta);
  return entry;
}

}  // namespace

void JobNews::enter(Id session) {
  const std::lock_guard lock(mutex_);
  if (entered_ == session) return;
  // What has been handed out is not to be told again.
  if (entered_)
    std::erase_if(items_[*entered_],
                  [&](const Item& each) { return !inbox_.take_back(each.entry.id); });
  entered_ = session;
  for (const Item& each : items_[session]) inbox_.put(each.entry);
}

void JobNews::ended(Id session, const jobs::Record& job, const std::string& report) {
  const std::lock_guard lock(mutex_);
  items_[session].push_back({job.id, entry_for(job, report),
                             "job " + std::to_string(job.id) + ": " + state_text(job, now_ms()) +
                                 " · " + job.command.substr(0, job.command.find('\n'))});
  if (entered_ == session) inbox_.put(items_[session].back().entry);
}

void JobNews::seen(Id session, int job) {
  const std::lock_guard lock(mutex_);
  std::erase_if(items_[session], [&](const Item& each) {
    if (each.job != job) return false;
    inbox_.take_back(each.entry.id);
    return true;
  });
}

std::string JobNews::take_notices() {
  const std::lock_guard lock(mutex_);
  std::string out;
  if (!entered_) return out;
  for (Item& each : items_[*entered_])
    if (const std::string line = std::exchange(each.notice, ""); !line.empty()) out += line + "\n";
  return out;
}

bool JobNews::has_notices() const {
  const std::lock_guard lock(mutex_);
  const auto found = entered_ ? items_.find(*entered_) : items_.end();
  return found != items_.end() &&
         std::ranges::any_of(found->second, [](const Item& each) { return !each.notice.empty(); });
}

}  // namespace skein::app
