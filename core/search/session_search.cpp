#include "core/search/session_search.h"

#include <algorithm>
#include <cmath>

namespace skein::search {

namespace {

// One path leads through all of it, and the head is at its end.
bool has_one_branch(const model::SessionState& state) {
  return state.leaves.size() == 0 ||
         (state.leaves.size() == 1 && state.head == state.leaves.front());
}

// How many more are kept than are wanted: some may turn out to be redacted.
constexpr std::size_t counted_slack = 16;

bool better(const Kept& one, const Kept& other) {
  return one.score != other.score ? one.score > other.score : one.time > other.time;
}

}  // namespace

SessionSearch::SessionSearch(store::SessionStore& store, const Request& request,
                             const Candidates& candidates, const std::atomic<double>& least,
                             const std::atomic<bool>& enough)
    : store_(store),
      request_(request),
      candidates_(candidates),
      least_(least),
      enough_(enough),
      now_ms_(skein::now_ms()),
      matcher_(request.query),
      quick_(!request.filter.about_entries() && !request.filter.blobs) {}

bool SessionSearch::stopped() const {
  return enough_ || (request_.stop != nullptr && *request_.stop);
}

SessionFound SessionSearch::run(const store::SessionRecord& record, std::size_t most) {
  found_ = {};
  most_ = most;
  active_.clear();
  active_matters_ = request_.filter.active_branch && !has_one_branch(record.state);
  if (active_matters_ && record.state.head)
    if (const auto tree = tree_of(record))
      for (const model::Tree::Node* node : tree->path(*record.state.head)) active_.insert(node->id);
  const store::Sieve sieve{
      .next = [&](std::string_view text, std::size_t from) { return candidates_.next(text, from); },
      .begin =
          [&] {
            found_ = {};
            counted_.clear();
            cut_ = 0;
            tools_.clear();
            consider_title(record);
          },
      .go_on = [&] { return !stopped(); }};
  const auto redacted =
      store_.sift(record, sieve, [&](const model::EntryFacts& facts) { look(facts); });
  if (!redacted) {
    if (found_.count == 0) consider_title(record);  // known without the file
    found_.trouble = redacted.error().text;
    return std::move(found_);
  }
  const auto gone = [&](Id id) { return redacted->contains(id); };
  found_.count -= static_cast<std::size_t>(std::ranges::count_if(counted_, gone));
  std::erase_if(found_.best, [&](const Kept& kept) { return kept.entry && gone(*kept.entry); });
  std::ranges::sort(found_.best, better);
  if (found_.best.size() > most) found_.best.resize(most);
  return std::move(found_);
}

void SessionSearch::consider_title(const store::SessionRecord& record) {
  const std::string& title = record.state.title;
  // One that nobody gave is the beginning of the first prompt, which is found itself.
  if (!record.state.title_given || title.empty() || request_.filter.about_entries() ||
      !matcher_.fits(title))
    return;
  ++found_.count;
  keep({.score = score_of(Role::title, false, record.used_at()),
        .time = record.used_at(),
        .text = title,
        .plain = true});
}

bool SessionSearch::wanted_time(std::string_view timestamp) const {
  const Filter& filter = request_.filter;
  return (filter.since.empty() || timestamp >= filter.since) &&
         (filter.until.empty() || timestamp < filter.until);
}

void SessionSearch::look(const model::EntryFacts& facts) {
  const Filter& filter = request_.filter;
  if (!filter.tool.empty()) {
    read_passages(facts.type, facts.body, entry_);
    note_calls();
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

bool SessionSearch::is_too_low(double score) const {
  return score <= least_.load(std::memory_order_relaxed) || score < cut_;
}

// Of very many hits most are only counted.
bool SessionSearch::counts_quickly(const model::EntryFacts& facts) {
  const double least = least_.load(std::memory_order_relaxed);
  if (!quick_ || (least <= 0 && cut_ <= 0) || facts.type != model::type::message) return false;
  const std::optional<Role> role = matcher_.quick_match(facts.body);
  if (!role || !is_too_low(score_of(*role, matcher_.ranks_together(), facts.timestamp)))
    return false;
  ++found_.count;
  counted_.push_back(facts.id);
  return true;
}

void SessionSearch::keep(Kept kept) {
  found_.best.push_back(std::move(kept));
  if (found_.best.size() <= 2 * (most_ + counted_slack)) return;
  std::ranges::sort(found_.best, better);
  found_.best.resize(most_ + counted_slack);
  cut_ = found_.best.back().score;
}

void SessionSearch::note_calls() {
  for (const RawEntry::Call& call : entry_.calls) tools_.emplace(call.id, call.name);
}

void SessionSearch::add_blobs() {
  blobs_.clear();
  blobs_.reserve(entry_.blobs.size());  // what points into them stays where it is
  for (const RawEntry::Blob& blob : entry_.blobs)
    if (auto bytes = store_.load_blob(std::string(blob.name))) {
      blobs_.push_back(valid_utf8(*bytes));
      entry_.passages.push_back(
          {.role = Role::tool, .raw = blobs_.back(), .tool = blob.call, .plain = true});
    }
}

void SessionSearch::leave_out_unwanted() {
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

// Who said it counts most, then how close the words are, then how long ago: half as much after
// thirty days, but never so little that an old prompt ranks below what a tool printed today.
double SessionSearch::score_of(Role role, bool together, std::string_view timestamp) {
  constexpr double weights[] = {80, 40, 20, 12, 8};
  // Entries of one day come together, and to read a time takes longer than all the rest.
  if (const std::string_view day = timestamp.substr(0, 10); day != day_) {
    constexpr double half_life = 30, ms_of_a_day = 24 * 60 * 60 * 1000.0;
    day_ = day;
    const auto then = ms_from_utc(day_ + "T00:00:00Z");
    const double days =
        then ? std::max(0.0, std::floor(static_cast<double>(now_ms_ - *then) / ms_of_a_day)) : 1e6;
    recency_ = std::exp2(-days / half_life);
  }
  return weights[static_cast<std::size_t>(role)] * (together ? 1.5 : 1) * (0.6 + 0.4 * recency_);
}

// All of the session once more, without its texts.
std::optional<model::Tree> SessionSearch::tree_of(const store::SessionRecord& record) {
  model::Tree::Builder builder;
  const store::Sieve all{
      .next = [](std::string_view text,
                 std::size_t from) { return from < text.size() ? from : std::string_view::npos; },
      .begin = [&] { builder = {}; }};
  const auto done =
      store_.sift(record, all, [&](const model::EntryFacts& facts) { builder.add(facts); });
  if (!done) return std::nullopt;
  return std::move(builder).build();
}

Hit SessionSearch::hit_of(const store::SessionRecord& record, const Kept& kept) {
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

}  // namespace skein::search
