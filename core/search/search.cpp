#include "core/search/search.h"

namespace skein::search {

namespace {

// A hit before it is worth a snippet.
struct ScoredEntry {
  double score = 0;
  std::optional<Id> entry{};
  std::string time{};
  Role role = Role::title;
  std::string text{};  // of the passage, as it is stored
  bool plain = false;  // it is no JSON
};

struct SessionFound {
  std::size_t count = 0;
  std::vector<ScoredEntry> best{};  // best first
  std::string trouble{};            // why it could not be read
};

// One path leads through all of it, and the head is at its end.
bool has_one_branch(const model::SessionState& state) {
  return state.leaves.size() == 0 ||
         (state.leaves.size() == 1 && state.head == state.leaves.front());
}

// How many more are kept than are wanted: some may turn out to be redacted.
constexpr std::size_t counted_slack = 16;

bool better(const ScoredEntry& one, const ScoredEntry& other) {
  return one.score != other.score ? one.score > other.score : one.time > other.time;
}

// What the searches through all sessions have in common.
struct Shared {
  store::SessionStore& store;
  const Request& request;
  const Candidates candidates;
  std::atomic<double> least{0};  // what a hit must score to be kept; it may rise
  std::atomic<bool> enough{false};

  bool stopped() const { return request.stop != nullptr && *request.stop; }
};

// The search through one session: which entries fit, how well, and the best of them. One for each
// thread; it keeps buffers.
class SessionSearch {
 public:
  explicit SessionSearch(const Shared& shared)
      : shared_(shared),
        matcher_(shared.request.query),
        quick_(!shared.request.filter.about_entries() && !shared.request.filter.blobs) {}

  SessionFound run(const store::SessionRecord& record, std::size_t most) {
    found_ = {};
    most_ = most;
    active_.clear();
    active_matters_ = request_.filter.active_branch && !has_one_branch(record.state);
    if (active_matters_ && record.state.head)
      if (const auto tree = tree_of(record))
        for (const model::Tree::Node* node : tree->path(*record.state.head))
          active_.insert(node->id);
    const store::ScanFilter filter{
        .next = [&](std::string_view text,
                    std::size_t from) { return shared_.candidates.next(text, from); },
        .begin =
            [&] {
              found_ = {};
              counted_.clear();
              cut_ = 0;
              tools_.clear();
              consider_title(record);
            },
        .keep_going = [&] { return !shared_.enough && !shared_.stopped(); }};
    const auto redacted = store_.transcripts().scan(
        record, filter, [&](const model::EntryFacts& facts) { look(facts); });
    if (!redacted) {
      if (found_.count == 0) consider_title(record);  // known without the file
      found_.trouble = redacted.error().text;
      return std::move(found_);
    }
    const auto gone = [&](Id id) { return redacted->contains(id); };
    found_.count -= static_cast<std::size_t>(std::ranges::count_if(counted_, gone));
    std::erase_if(found_.best,
                  [&](const ScoredEntry& kept) { return kept.entry && gone(*kept.entry); });
    std::ranges::sort(found_.best, better);
    if (found_.best.size() > most) found_.best.resize(most);
    return std::move(found_);
  }

  // With its snippet, and where it is in the tree.
  Hit hit_of(const store::SessionRecord& record, const ScoredEntry& kept) {
    std::string text = kept.text;
    if (!kept.plain) unescape(kept.text, text);
    Hit hit{.session = record.header.session,
            .key = record.key,
            .entry = kept.entry,
            .role = kept.role,
            .time = kept.time,
            .snippet = snippet_of(text, request_.query, request_.snippet_characters),
            .score = kept.score};
    if (!kept.entry || has_one_branch(record.state)) return hit;
    const auto tree = tree_of(record);
    if (!tree) return hit;
    const auto leads_to = [&](Id leaf) {
      return std::ranges::any_of(tree->path(leaf),
                                 [&](const auto* node) { return node->id == *kept.entry; });
    };
    hit.branch_active = record.state.head && leads_to(*record.state.head);
    const std::vector<const model::Tree::Node*> leaves = tree->leaves();
    hit.branches = leaves.size();
    for (std::size_t i = 0; i < leaves.size() && hit.branch == 0 && leaves.size() > 1; ++i)
      if (leads_to(leaves[i]->id)) hit.branch = i + 1;
    return hit;
  }

 private:
  void look(const model::EntryFacts& facts) {
    const Filter& filter = request_.filter;
    if (!filter.tool.empty()) {
      read_passages(facts.type, facts.body, entry_);
      for (const RawEntry::Call& call : entry_.calls) tools_.emplace(call.id, call.name);
    }
    if (!wanted_time(facts.timestamp) || (active_matters_ && !active_.contains(facts.id))) return;
    if (counts_quickly(facts)) return;
    if (filter.tool.empty()) read_passages(facts.type, facts.body, entry_);
    if (filter.blobs) add_blobs();
    leave_out_unwanted();
    const std::optional<Matcher::Match> match =
        entry_.passages.empty() ? std::nullopt : matcher_.match(entry_);
    if (!match) return;
    ++found_.count;
    counted_.push_back(facts.id);
    const Passage& passage = entry_.passages[match->passage];
    const double score = score_of(passage.role, match->together, facts.timestamp);
    if (is_too_low(score)) return;
    keep({score, facts.id, std::string(facts.timestamp), passage.role, std::string(passage.raw),
          passage.plain});
  }

  void add_blobs() {
    blobs_.clear();
    blobs_.reserve(entry_.blobs.size());  // what points into them stays where it is
    for (const RawEntry::Blob& blob : entry_.blobs)
      if (auto bytes = store_.blobs().load_blob(std::string(blob.name))) {
        blobs_.push_back(valid_utf8(*bytes));
        entry_.passages.push_back(
            {.role = Role::tool, .raw = blobs_.back(), .tool = blob.call, .plain = true});
      }
  }

  void leave_out_unwanted() {
    const Filter& filter = request_.filter;
    if (filter.errors && !entry_.failed) entry_.passages.clear();
    if (!filter.model.empty()) {
      const std::string model = std::string(entry_.provider) + "/" + std::string(entry_.model);
      if (entry_.model.empty() || model.find(filter.model) == std::string::npos)
        entry_.passages.clear();
    }
    const auto unwanted = [&](const Passage& passage) {
      if (filter.role && passage.role != *filter.role) return true;
      if (filter.tool.empty()) return false;
      if (passage.call) return passage.tool != filter.tool;
      const auto called = tools_.find(passage.tool);
      return passage.role != Role::tool || called == tools_.end() || called->second != filter.tool;
    };
    if (filter.role || !filter.tool.empty()) std::erase_if(entry_.passages, unwanted);
  }

  bool is_too_low(double score) const {
    return score <= shared_.least.load(std::memory_order_relaxed) || score < cut_;
  }
  // Of very many hits most are only counted.
  bool counts_quickly(const model::EntryFacts& facts) {
    const double least = shared_.least.load(std::memory_order_relaxed);
    if (!quick_ || (least <= 0 && cut_ <= 0) || facts.type != model::type::message) return false;
    const std::optional<Role> role = matcher_.quick_match(facts.body);
    if (!role || !is_too_low(score_of(*role, matcher_.ranks_together(), facts.timestamp)))
      return false;
    ++found_.count;
    counted_.push_back(facts.id);
    return true;
  }

  bool wanted_time(std::string_view timestamp) const {
    const Filter& filter = request_.filter;
    return (filter.since.empty() || timestamp >= filter.since) &&
           (filter.until.empty() || timestamp < filter.until);
  }

  void consider_title(const store::SessionRecord& record) {
    const std::string& title = record.state.title;
    // One that was not given is the beginning of the first prompt, which is found itself.
    if (!record.state.title_given || title.empty() || request_.filter.about_entries() ||
        !matcher_.fits(title))
      return;
    ++found_.count;
    keep({.score = score_of(Role::title, false, record.used_at()),
          .time = record.used_at(),
          .text = title,
          .plain = true});
  }

  void keep(ScoredEntry kept) {
    found_.best.push_back(std::move(kept));
    if (found_.best.size() <= 2 * (most_ + counted_slack)) return;
    std::ranges::sort(found_.best, better);
    found_.best.resize(most_ + counted_slack);
    cut_ = found_.best.back().score;
  }

  // Who said it counts most, then how close the words are, then how long ago: half as much after
  // thirty days, but never so little that an old prompt ranks below what a tool printed today.
  double score_of(Role role, bool together, std::string_view timestamp) {
    constexpr double weights[] = {80, 40, 20, 12, 8};
    // Entries of one day come together, and to read a time takes longer than all the rest.
    if (const std::string_view day = timestamp.substr(0, 10); day != day_) {
      constexpr double half_life = 30, ms_of_a_day = 24 * 60 * 60 * 1000.0;
      day_ = day;
      const auto then = ms_from_utc(day_ + "T00:00:00Z");
      const double days =
          then ? std::max(0.0, std::floor(static_cast<double>(now_ms_ - *then) / ms_of_a_day))
               : 1e6;
      recency_ = std::exp2(-days / half_life);
    }
    return weights[static_cast<std::size_t>(role)] * (together ? 1.5 : 1) * (0.6 + 0.4 * recency_);
  }

  // All of the session once more, without its texts.
  std::optional<model::Tree> tree_of(const store::SessionRecord& record) {
    model::Tree::Builder builder;
    const store::ScanFilter all{
        .next = [](std::string_view text,
                   std::size_t from) { return from < text.size() ? from : std::string_view::npos; },
        .begin = [&] { builder = {}; }};
    const auto done = store_.transcripts().scan(
        record, all, [&](const model::EntryFacts& facts) { builder.add(facts); });
    if (!done) return std::nullopt;
    return std::move(builder).build();
  }

  const Shared& shared_;
  const Request& request_ = shared_.request;
  store::SessionStore& store_ = shared_.store;
  const std::int64_t now_ms_ = skein::now_ms();
  Matcher matcher_;
  const bool quick_;  // every passage counts
  RawEntry entry_{};
  std::vector<std::string> blobs_{};
  std::map<std::string, std::string, std::less<>> tools_{};  // of calls, by their ids
  std::set<Id> active_{};
  bool active_matters_ = false;
  SessionFound found_{};
  std::size_t most_ = 0;
  double cut_ = 0;  // what is below is not among the best
  std::string day_{};
  double recency_ = 0;         // of that day
  std::vector<Id> counted_{};  // which entries fit: some may turn out to be redacted
};

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
    SessionRecord one = store.open(*filter.session);
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
      : shared_{store, request, candidates_for(request)},
        most_(most),
        snippets_(snippets),
        records_(wanted_sessions(store, request.filter)) {}
  ~Sweep() {
    shared_.enough = true;
    for (std::thread& each : threads_) each.join();
  }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  const std::vector<SessionRecord>& records() const { return records_; }
  // Hits that score no more are not kept from now on.
  void raise(double least) { shared_.least = least; }

  // In the order of the records, in this thread, until `take` returns false. False: not all.
  template <class Take>
  bool run(Take take) {
    const std::size_t count = std::min(shared_.store.transcripts().scan_threads(), records_.size());
    if (count > 1) {
      done_.resize(records_.size());
      for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
    }
    SessionSearch own(shared_);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      std::optional<Done> done = count > 1 ? wait_for(i) : look_through(own, i);
      if (!done || shared_.stopped() || !take(records_[i], *std::move(done)) || !tell_of(i + 1))
        return false;
    }
    return true;
  }

  const Shared& shared() const { return shared_; }

 private:
  Done look_through(SessionSearch& search, std::size_t i) {
    Done done{search.run(records_[i], most_)};
    if (snippets_ == Snippets::at_once)
      for (const ScoredEntry& kept : done.found.best)
        done.hits.push_back(search.hit_of(records_[i], kept));
    return done;
  }

  void work() try {
    SessionSearch search(shared_);
    while (!shared_.enough && !shared_.stopped()) {
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
    shared_.enough = true;
    changed_.notify_one();
  }

  std::optional<Done> wait_for(std::size_t i) {
    std::unique_lock lock(mutex_);
    while (!done_[i] && !broken_ && !shared_.stopped()) {
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
    if (!shared_.request.progress) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < now_and_then) return true;
    const bool go_on = shared_.request.progress(looked_through, records_.size());
    told_ = std::chrono::steady_clock::now();
    return go_on;
  }

  static constexpr std::chrono::milliseconds now_and_then{25};
  std::chrono::steady_clock::time_point told_{};
  Shared shared_;
  const std::size_t most_;
  const Snippets snippets_;
  const std::vector<SessionRecord> records_;
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
    ScoredEntry kept;
  };
  Ranked out;
  std::vector<Placed> best;
  Sweep sweep(store, request, request.limit, Sweep::Snippets::later);
  out.outcome.complete = sweep.run([&](const SessionRecord& record, Sweep::Done done) {
    add_to(out.outcome, done.found);
    for (ScoredEntry& kept : done.found.best) best.push_back({&record, std::move(kept)});
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
  SessionSearch search(sweep.shared());
  for (const Placed& each : best) out.hits.push_back(search.hit_of(*each.record, each.kept));
  return out;
}

}  // namespace skein::search
