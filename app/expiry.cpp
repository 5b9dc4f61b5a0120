#include "app/expiry.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/text/amounts.h"
#include "core/text/small_file.h"
#include "core/text/text.h"
#include "core/text/when.h"

namespace skein::app {

using store::Expired, store::Expiring;

namespace {

constexpr std::size_t most_names = 5;

std::string names_of(const std::vector<Expiring>& all, Expiring::What what) {
  std::vector<std::string> names;
  std::size_t count = 0;
  for (const Expiring& each : all)
    if (each.what == what && ++count <= most_names) names.push_back(each.record.key);
  return listed(names) +
         (count > most_names ? " and " + with_separators(count - most_names) + " more" : "");
}

std::size_t count_of(const std::vector<Expiring>& all, Expiring::What what) {
  return static_cast<std::size_t>(std::ranges::count(all, what, &Expiring::what));
}

}  // namespace

store::ExpiryRules expiry_rules(const config::Config& config) {
  return {duration_ms(config.archive_after), duration_ms(config.trash_after)};
}

bool Expiry::is_due() const {
  const std::string stamp = file_beginning(stamp_);
  const std::optional<std::int64_t> last = ms_from_utc(stamp.substr(0, stamp.find('\n')));
  // A time that lies ahead is of a clock that was wrong.
  return !last || now_ms() - *last >= day_ms || *last > now_ms();
}

// If it cannot be written, it is done more often than it should be, and told each time.
void Expiry::remember() const { replace_small_file(stamp_, now_utc() + "\n"); }

std::string Expiry::announce(Id open) {
  if (stamp_.empty() || std::exchange(asked_, true) || !is_due()) return {};
  planned_ = store::expiring(store_.list(), expiry_rules(config_), now_ms(), open);
  if (planned_.empty()) {
    remember();
    return {};
  }
  std::string out;
  const std::size_t archived = count_of(planned_, Expiring::What::archive);
  const std::size_t thrown = count_of(planned_, Expiring::What::trash);
  if (archived > 0)
    out += "When you leave, " + counted(archived, "session") +
           " will be archived, long unused: " + names_of(planned_, Expiring::What::archive) + ".\n";
  if (thrown > 0)
    out += "When you leave, " + counted(thrown, "session") +
           " will go to the trash, long unused: " + names_of(planned_, Expiring::What::trash) +
           ".\n";
  return out + "`skein sessions pin KEY` keeps one as it is.\n";
}

std::string Expiry::act() {
  if (planned_.empty()) return {};
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(2);
  std::vector<Expiring> done;
  std::string troubles;
  for (const Expiring& each : planned_) {
    if (Clock::now() > end) break;
    const store::Result<Expired> outcome = store::expire(store_, each);
    if (!outcome)
      troubles += each.record.key + " was left as it is: " + outcome.error().text + "\n";
    else if (*outcome == Expired::done)
      done.push_back(each);
  }
  planned_.clear();
  remember();
  std::string out;
  if (const std::size_t count = count_of(done, Expiring::What::archive); count > 0)
    out += "archived " + counted(count, "session") + ": " +
           names_of(done, Expiring::What::archive) + "\n";
  if (const std::size_t count = count_of(done, Expiring::What::trash); count > 0)
    out += "moved " + counted(count, "session") +
           " to the trash: " + names_of(done, Expiring::What::trash) +
           "; `skein sessions restore KEY` brings one back\n";
  return out + troubles;
}

}  // namespace skein::app
