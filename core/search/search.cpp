#include "core/search/search.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "core/search/session_search.h"

namespace skein::search {

namespace {

using store::SessionRecord;

bool lies_in(const std::string& folder, const std::string& above) {
  return folder == above || above == "/" || folder.starts_with(above + "/");
}

bool wanted(const SessionRecord& record, const Filter& filter) {
  const Id id = record.header.session;
  return (!filter.session || id == *filter.session) && id != filter.except &&
         (filter.cwd.empty() || lies_in(record.header.cwd, filter.cwd)) &&
         (filter.since.empty() || record.used_at() >= filter.since) &&
         (filter.until.empty() || record.header.created_at < filter.until);
}

std::vector<SessionRecord> wanted_sessions(store::SessionStore& store, const Filter& filter) {
  if (filter.session) {
    SessionRecord one = store::value_or_throw(store.open(*filter.session));
    return wanted(one, filter) ? std::vector{std::move(one)} : std::vector<SessionRecord>{};
  }
  std::vector<SessionRecord> all = store.list();
  std::erase_if(all, [&](const SessionRecord& record) { return !wanted(record, filter); });
  return all;
}

Candidates candidates_for(const Request& request) {
  Candidates candidates(request.query);
  if (!request.filter.tool.empty()) candidates.add(R"("type":"tool_use")");
  if (request.filter.blobs) candidates.add(R"("blob":")");
  return candidates;
}

// All sessions, looked through by as many threads as the store likes, and handed out in order.
class Sweep {
 public:
  struct Done {
    SessionFound found{};
    std::vector<Hit> hits{};
  };
  enum class Snippets { at_once, later };

  Sweep(store::SessionStore& store, const Request& request, std::size_t most, Snippets snippets)
      : store_(store),
        request_(request),
        most_(most),
        snippets_(snippets),
        candidates_(candidates_for(request)),
        records_(wanted_sessions(store, request.filter)) {}
  ~Sweep() {
    enough_ = true;
    for (std::thread& each : threads_) each.join();
  }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  const std::vector<SessionRecord>& records() const { return records_; }
  // Hits that score no more are not kept from now on.
  void raise(double least) { least_ = least; }

  // In the order of the records, in this thread, until `take` returns false. False: not all.
  template <class Take>
  bool run(Take take) {
    const std::size_t count = std::min(store_.sift_threads(), records_.size());
    if (count > 1) {
      done_.resize(records_.size());
      for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
    }
    SessionSearch own = make_search();
    for (std::size_t i = 0; i < records_.size(); ++i) {
      std::optional<Done> done = count > 1 ? wait_for(i) : look_through(own, i);
      if (!done || stop_asked() || !take(records_[i], *std::move(done)) || !tell_of(i + 1))
        return false;
    }
    return true;
  }

  SessionSearch make_search() {
    return SessionSearch(store_, request_, candidates_, least_, enough_);
  }

 private:
  bool stop_asked() const { return request_.stop != nullptr && *request_.stop; }

  Done look_through(SessionSearch& search, std::size_t i) {
    Done done{search.run(records_[i], most_)};
    if (snippets_ == Snippets::at_once)
      for (const Kept& kept : done.found.best)
        done.hits.push_back(search.hit_of(records_[i], kept));
    return done;
  }

  void work() try {
    SessionSearch search = make_search();
    while (!enough_ && !stop_asked()) {
      const std::size_t i = next_++;
      if (i >= records_.size()) return;
      Done done = look_through(search, i);
      const std::lock_guard lock(mutex_);
      done_[i] = std::move(done);
      changed_.notify_one();
    }
  } catch (const std::exception&) {
    // It is the asker's, not the thread's.
    const std::lock_guard lock(mutex_);
    broken_ = std::current_exception();
    enough_ = true;
    changed_.notify_one();
  }

  std::optional<Done> wait_for(std::size_t i) {
    std::unique_lock lock(mutex_);
    while (!done_[i] && !broken_ && !stop_asked()) {
      changed_.wait_for(lock, now_and_then);
      lock.unlock();
      const bool go_on = tell_of(i);
      lock.lock();
      if (!go_on) return std::nullopt;
    }
    if (broken_) std::rethrow_exception(broken_);
    return std::exchange(done_[i], std::nullopt);
  }

  // False: no more is wanted.
  bool tell_of(std::size_t looked_through) {
    if (!request_.meanwhile) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < now_and_then) return true;
    const bool go_on = request_.meanwhile(looked_through, records_.size());
    told_ = std::chrono::steady_clock::now();
    return go_on;
  }

  static constexpr std::chrono::milliseconds now_and_then{25};
  std::chrono::steady_clock::time_point told_{};
  store::SessionStore& store_;
  const Request& request_;
  const std::size_t most_;
  const Snippets snippets_;
  const Candidates candidates_;
  const std::vector<SessionRecord> records_;
  std::atomic<double> least_{0};
  std::atomic<bool> enough_{false};
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::vector<std::optional<Done>> done_{};
  std::exception_ptr broken_{};
  std::vector<std::thread> threads_{};
};

void add_to(Outcome& outcome, const SessionFound& found) {
  outcome.found += found.count;
  outcome.sessions += found.count > 0 ? 1 : 0;
  if (!found.trouble.empty()) outcome.trouble.push_back(found.trouble);
}

}  // namespace

Outcome search_newest(store::SessionStore& store, const Request& request,
                      const std::function<bool(const SessionHits&)>& each) {
  Outcome outcome;
  const std::size_t most =
      request.filter.session ? request.limit : std::min(request.per_session, request.limit);
  Sweep sweep(store, request, most, Sweep::Snippets::at_once);
  std::size_t left = request.limit;
  outcome.complete = sweep.run([&](const SessionRecord& record, Sweep::Done done) {
    add_to(outcome, done.found);
    if (done.hits.empty()) return true;
    if (done.hits.size() > left) done.hits.resize(left);
    left -= done.hits.size();
    return each({&record, done.found.count, std::move(done.hits)}) && left > 0;
  });
  return outcome;
}

Ranked search_ranked(store::SessionStore& store, const Request& request) {
  struct Placed {
    const SessionRecord* record;
    Kept kept;
  };
  Ranked out;
  std::vector<Placed> best;
  Sweep sweep(store, request, request.limit, Sweep::Snippets::later);
  out.outcome.complete = sweep.run([&](const SessionRecord& record, Sweep::Done done) {
    add_to(out.outcome, done.found);
    for (Kept& kept : done.found.best) best.push_back({&record, std::move(kept)});
    if (best.size() < request.limit || done.found.best.empty()) return true;
    // Stable: of the same score the newer session's comes first.
    std::ranges::stable_sort(best, std::greater{},
                             [](const Placed& each) { return each.kept.score; });
    best.resize(request.limit);
    sweep.raise(best.back().kept.score);
    return true;
  });
  std::ranges::stable_sort(best, std::greater{},
                           [](const Placed& each) { return each.kept.score; });
  SessionSearch search = sweep.make_search();
  for (const Placed& each : best) out.hits.push_back(search.hit_of(*each.record, each.kept));
  return out;
}

}  // namespace skein::search
