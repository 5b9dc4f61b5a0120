#include "core/budget/budget.h"

#include <ctime>

#include "core/store/files/named_files.h"
#include "core/text/json.h"
#include "core/text/log.h"
#include "core/text/text.h"

namespace skein::budget {

namespace {

namespace fs = std::filesystem;

constexpr double warned_at = 0.8;

std::string shown_time(double ms) { return short_duration(static_cast<std::int64_t>(ms)); }

// Its date and its beginning as a timestamp.
std::pair<std::string, std::string> local_day(std::int64_t now) {
  const std::time_t seconds = now / 1000;
  std::tm local{};
  localtime_r(&seconds, &local);
  char date[16];
  const std::size_t length = std::strftime(date, sizeof date, "%Y-%m-%d", &local);
  local.tm_hour = local.tm_min = local.tm_sec = 0;
  local.tm_isdst = -1;
  return {std::string(date, length), utc_from_ms(std::mktime(&local) * std::int64_t{1000})};
}

// nullopt: it is damaged, or of another day.
std::optional<double> sum_in(const store::Result<std::string>& text, const std::string& date) {
  const Json all = text ? parse_json(*text).value_or(Json()) : Json();
  const Json& sum = at(all, "dollars");
  if (string_at(all, "date") != date || !sum.is_number() || !(sum.get<double>() >= 0))
    return std::nullopt;
  return sum.get<double>();
}

}  // namespace

// duration_ms() has no shorter unit than the hour.
std::int64_t parse_time_limit(const std::string& setting, const std::string& text) {
  const std::int64_t part = text.ends_with('s') ? 3600 : text.ends_with('m') ? 60 : 1;
  std::string whole = text;
  if (part > 1) whole.back() = 'h';
  if (const auto ms = duration_ms(whole)) return *ms / part;
  throw Error(setting + " takes a time such as 90s, 10m or 2h, not '" + text + "'",
              ExitStatus::usage);
}

void Budget::begin_turn(Id session, double spent) {
  const std::lock_guard lock(mutex_);
  sessions_[session] = std::max(sessions_[session], spent);
  turn_ = open_;
  warned_.clear();
  began_ = Clock::now();
  waited_ = {};
  waits_ = 0;
}

void Budget::add_child(Id child, Id parent) {
  const std::lock_guard lock(mutex_);
  parents_[child] = parent;
}

void Budget::begin_wait() {
  const std::lock_guard lock(mutex_);
  if (waits_++ == 0) asked_ = Clock::now();
}

void Budget::end_wait() {
  const std::lock_guard lock(mutex_);
  if (--waits_ == 0) waited_ += Clock::now() - asked_;
}

std::vector<Budget::Level> Budget::levels(Id session) const {
  const auto passed = (waits_ > 0 ? asked_ : Clock::now()) - began_ - waited_;
  const double ms = std::chrono::duration<double, std::milli>(passed).count();
  const auto its = sessions_.find(session);
  const SpendingLimits& most = parts_.limits;
  std::vector<Level> out{
      {"turn-time", "one turn", "--time, or turn-time in [budget], raises it",
       static_cast<double>(most.turn_ms), ms, shown_time},
      {"turn-usd", "one turn", "--max-usd, or turn-usd in [budget], raises it", most.turn, turn_,
       dollars},
      {"session-usd", "this session", "session-usd in [budget] raises it", most.session,
       its == sessions_.end() ? 0 : its->second, dollars},
      {"day-usd", "today", "day-usd in [budget] raises it", most.day, day_, dollars}};
  std::erase_if(out, [](const Level& each) { return each.limit <= 0; });
  return out;
}

// The logs are read if the file is of no use, and once by each process: others may have worked
// without a limit for the day, and thus without the file.
bool Budget::change_day(double by, double limit) {
  if (parts_.day_file.empty())
    throw Error("day-usd needs a folder for its file; set HOME or XDG_STATE_HOME");
  const fs::path path(parts_.day_file);
  const std::string name = path.filename().string(), doing = "cannot write " + parts_.day_file;
  std::error_code ignored;
  if (fs::create_directories(path.parent_path(), ignored))
    fs::permissions(path.parent_path(), fs::perms::owner_all, ignored);
  const auto folder =
      store::value_or_throw(store::files::files_beneath(path.parent_path().string()));
  const store::files::OpenFile lock = store::value_or_throw(
      store::files::open(*folder, name + ".lock", store::files::OpenAs::locker, doing));
  store::value_or_throw(lock.lock());
  const auto [today, begin] = local_day(parts_.now());
  const bool first = date_ != today;
  const std::optional<double> saved = sum_in(store::files::read_whole(*folder, name, 4096), today);
  const double logged = saved && !first ? 0 : parts_.logged(begin);
  if (first) day_ = 0;
  date_ = today;
  const double known = std::max(day_, std::max(saved.value_or(0), logged) + open_);
  const double sum = saved && !first ? *saved : known;
  const bool fits = sum + by < limit;
  day_ = fits ? std::max(0.0, sum + by) : sum;
  store::value_or_throw(store::files::replace_file(
      *folder, name, dump({{"version", 1}, {"date", date_}, {"dollars", day_}}) + "\n", doing));
  return fits;
}

std::string Budget::Level::refusal(double next) const {
  return "the limit of " + shown(limit) + " for " + std::string(name) +
         " is reached: " + shown(used) + " is used" +
         (next > 0 ? ", and the next call may cost " + shown(next) : "") + "; " +
         std::string(how_to_raise);
}

// The file of the day is used last, when nothing else refuses the call.
Reservation Budget::reserve(Id session, const std::string& model, std::optional<double> most) {
  const std::lock_guard lock(mutex_);
  const auto parent = parents_.find(session);
  Reservation out{.session = parent == parents_.end() ? session : parent->second,
                  .dollars = most.value_or(0)};
  for (const Level& each : levels(out.session)) {
    const bool time = each.key == "turn-time";
    const double next = time ? 0 : out.dollars;
    if (!time && !most)
      out.refusal = "the price of " + model + " is not known, so " + std::string(each.key) +
                    " cannot be checked; set input and output in [models.\"" + model + "\"]";
    else if (each.key != "day-usd" && each.used + next >= each.limit)
      out.refusal = each.refusal(next);
    if (!out.refusal.empty()) return out;
  }
  if (parts_.limits.day > 0) try {
      if (!change_day(out.dollars, parts_.limits.day))
        out.refusal = levels(out.session).back().refusal(out.dollars);
    } catch (const Error& error) {  // a limit that cannot be checked
      out.refusal = error.what();
    }
  if (!out.refusal.empty()) return out;
  for (double* const sum : {&turn_, &open_, &sessions_[out.session]}) *sum += out.dollars;
  return out;
}

void Budget::replace(const Reservation& held, double spent) {
  const std::lock_guard lock(mutex_);
  if (parts_.limits.day > 0) try {
      change_day(spent - held.dollars);
    } catch (const Error& error) {  // the reservation stays in the file
      log_warning("budget", {{"error", error.what()}});
    }
  open_ -= held.dollars;
  for (double* const sum : {&turn_, &sessions_[held.session]}) *sum += spent - held.dollars;
}

std::vector<std::string> Budget::warnings(Id session) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const Level& each : levels(session))
    if (each.used >= warned_at * each.limit && warned_.insert(each.key).second)
      out.push_back(each.shown(each.used) + " of the limit of " + each.shown(each.limit) + " for " +
                    std::string(each.name) + " is used");
  return out;
}

std::string Budget::summary(Id session, double spent) {
  const std::lock_guard lock(mutex_);
  sessions_[session] = std::max(sessions_[session], spent);
  std::string out;
  if (parts_.limits.day > 0) try {
      change_day(0);
    } catch (const Error& error) {
      out = error.what();
    }
  for (const Level& each : levels(session))
    out += (out.empty() ? "" : " · ") + std::string(each.key) + " " + each.shown(each.used) +
           " of " + each.shown(each.limit);
  return out;
}

double Budget::used(Id session) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? 0 : found->second;
}

}  // namespace skein::budget
