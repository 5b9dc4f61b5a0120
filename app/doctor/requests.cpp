#include "app/doctor/requests.h"

#include "core/agent/model_caller.h"
#include "core/context/sent_request.h"
#include "core/model/scrub.h"
#include "core/text/text.h"
#include "providers/request.h"

namespace skein::doctor {

namespace {

using Result = RequestCheck::Result;

// Sees the entries of a session in the order they were written.
class RequestChecker {
 public:
  RequestChecker(store::SessionStore& store, const catalog::Catalog& catalog)
      : store_(store), catalog_(catalog) {}

  std::optional<RequestCheck> see(const model::Entry& entry) {
    std::optional<RequestCheck> out;
    if (const auto message = model::message_of(entry);
        message && message->role == model::Role::assistant) {
      out = RequestCheck{.answer = entry.id};
      out->note = compare(entry, *message, out->result);
      results_[entry.id] = {out->result, message->provider + "/" + message->model};
    }
    if (!model::is_marginal(entry.type)) entries_.emplace(entry.id, entry);
    return out;
  }

 private:
  // Most answers follow the one before, so what their paths share is left in place.
  bool go_to(std::optional<Id> leaf) {
    std::vector<const model::Entry*> missing;
    while (leaf && !places_.contains(*leaf)) {
      const auto found = entries_.find(*leaf);
      if (found == entries_.end()) return false;
      missing.push_back(&found->second);
      leaf = missing.back()->parent;
    }
    const std::size_t shared = leaf ? places_.at(*leaf) + 1 : 0;
    for (; path_.size() > shared; path_.pop_back()) places_.erase(path_.back().id);
    for (; !missing.empty(); missing.pop_back()) {
      places_[missing.back()->id] = path_.size();
      path_.push_back(*missing.back());
    }
    return true;
  }

  std::string compare(const model::Entry& entry, const model::Message& answer, Result& result) {
    const std::optional<model::SentRequest> sent = context::request_in_meta(entry);
    if (!sent) return "no hash was recorded (earlier version, import, offline model or crash)";
    const model::ModelRef ref{answer.provider, answer.model, sent->thinking, sent->max_output};
    const catalog::ProviderRow* const row = catalog_.find_provider(ref.provider);
    if (row == nullptr) return "no provider is called " + ref.provider;
    if (!go_to(entry.parent)) return "an entry before it is missing";
    std::optional<model::Context> context = context::request_again(path_, *sent);
    if (!context) return "the log does not say how the request begins";
    agent::load_images(context->messages, store_);
    const catalog::ModelRow known = catalog_.find_model(ref);
    const JsonText body = providers::make_request(*context, ref, *row, known).wire.body;
    const model::SentRequest now = providers::sent_request(body, ref, *row, known);
    if (now.sha256 == sent->sha256) return result = Result::same, "";
    if (now.wire != sent->wire)
      return "version " + std::to_string(sent->wire) + " of the wire formats sent it";
    if (now.settings != sent->settings)
      return "the settings of " + model::to_string(ref) + " have changed since";
    if (body.find("(image left out: its bytes are gone)") != JsonText::npos)
      return "an image in it is gone";
    const std::string size = std::to_string(sent->bytes) + " bytes were sent, now there are " +
                             std::to_string(now.bytes) + "; ";
    return size + suspects(model::to_string(ref), result);
  }

  // A hash does not say which byte differs. But what an earlier request to the same model held has
  // not changed if that request is the same.
  std::string suspects(const std::string& model, Result& result) const {
    result = Result::differs;
    std::size_t from = path_.size();
    for (bool cleared = false; from > 0 && !cleared;) {
      const auto known = results_.find(path_[--from].id);
      if (known == results_.end()) continue;
      if (known->second.first == Result::differs)
        return "the request of " + to_string(known->first) + " differs already";
      cleared = known->second == std::pair(Result::same, model);
    }
    std::vector<std::string> named;
    for (const model::Entry& entry : std::span(path_).subspan(from)) {
      named.push_back(to_string(entry.id) + " (" + model::kind_of(entry) + ")");
      if (entry.payload.find(model::redacted_text) == JsonText::npos) continue;
      result = Result::unknown;
      return "text was removed from " + named.back();
    }
    return "the cause is in " + listed(named);
  }

  store::SessionStore& store_;
  const catalog::Catalog& catalog_;
  std::map<Id, model::Entry> entries_{};
  std::map<Id, std::pair<Result, std::string>> results_{};  // of answers, with their model
  std::vector<model::Entry> path_{};
  std::map<Id, std::size_t> places_{};  // in the path
};

}  // namespace

std::vector<RequestCheck> check_requests(store::SessionStore& store, Id session,
                                         const catalog::Catalog& catalog) {
  std::vector<RequestCheck> out;
  RequestChecker checker(store, catalog);
  const auto entries = store::value_or_throw(store.load_session_entries(session));
  for (const model::Entry& entry : entries)
    if (std::optional<RequestCheck> check = checker.see(entry)) out.push_back(*std::move(check));
  return out;
}

}  // namespace skein::doctor
