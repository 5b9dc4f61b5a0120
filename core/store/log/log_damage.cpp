// What is not as it was written: counted on the way, or told to the byte.
#include "core/store/log/log.h"

namespace skein::store::log {

// A scan of all there is: whoever makes one knows afterwards what is damaged.
Result<ScanEnd> Log::scan_all(const std::function<void(const ScannedLine&)>& visit) {
  damage_ = {};
  altered_.clear();
  broken_end_ = 0;
  Result<ScanEnd> end =
      scan(files_, file_.get(), {session_, 0, 0, acknowledged_}, [&](const ScannedLine& found) {
        count_damage(found);
        visit(found);
      });
  if (end) damage_.gaps = static_cast<std::int64_t>(end->gaps.size());
  return end;
}

void Log::count_damage(const ScannedLine& found) {
  if (found.standing == LineStatus::altered) {
    ++damage_.altered;
    altered_.insert(found.begin);
  } else if (found.standing == LineStatus::broken) {
    // Pieces of one unreadable line are one gap.
    if (found.begin != broken_end_ || damage_.broken == 0) ++damage_.broken;
    broken_end_ = found.end;
  }
}

// Where the conversation goes on may be what was altered: a head that nobody is would hide it all.
void Log::settle_head() {
  if (!state_.head || state_.head_at != 0) return;
  const Result<model::Position> found = locate(*state_.head);
  if (found || found.error().kind != Failure::Kind::gone) return;
  state_.head = state_.tail;
  state_.head_at = 0;
}

Result<Damage> Log::examine() {
  Damage damage{.header_damaged = !header_seen_};
  Result<ScanEnd> end = scan_all([&](const ScannedLine& found) {
    const Damage::Range range{found.begin, found.end};
    if (found.standing == LineStatus::altered) damage.altered.push_back(range);
    if (found.standing == LineStatus::uncommitted) damage.uncommitted.push_back(range);
    if (found.standing != LineStatus::broken) return;
    // Pieces of one unreadable line are one gap.
    if (!damage.broken.empty() && damage.broken.back().end == range.begin)
      damage.broken.back().end = range.end;
    else
      damage.broken.push_back(range);
  });
  if (!end) return end.error();
  damage.gaps = std::move(end->gaps);
  return damage;
}

}  // namespace skein::store::log
