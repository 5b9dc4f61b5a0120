#include "providers/stream.h"

#include "core/model/assembler.h"
#include "core/text/log.h"
#include "core/text/text.h"
#include "providers/http/retry.h"
#include "providers/request.h"
#include "providers/wire/answer_limit.h"
#include "providers/wire/decoder.h"

namespace skein::providers {

namespace {

using End = http::HttpResponse::End;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_error_body = std::size_t{64} << 10;

// How services that do not answer 404 say that they have no such model.
constexpr std::string_view no_such_model[] = {"model_not_found", "model_decommissioned",
                                              "invalid_model"};

// A hint begins with "; ", which does not follow the end of a sentence.
std::string with_hint(std::string text, const std::string& hint) {
  if (!hint.empty() && text.ends_with('.')) text.pop_back();
  return text + hint;
}

struct PreparedRequest {
  http::HttpRequest request{};
  std::string refusal{};  // why it cannot be sent; empty: it can
};

PreparedRequest prepare(const model::Context& context, const model::ModelRef& model,
                        const catalog::ProviderRow& row, const catalog::ModelRow& known,
                        Keyring& keys) {
  auto [wire, faults] = make_request(context, model, row, known);
  if (!faults.empty())
    return {{}, "the request was not sent, because it would be refused: " + faults.front()};

  const std::string base = catalog::base_url(row);
  http::HttpRequest request{.url = base + std::string(row.version) + wire.path,
                            .headers = std::move(wire.headers),
                            .body = std::move(wire.body)};
  request.headers.emplace_back("accept", "text/event-stream");
  if (row.auth == catalog::Auth::none) return {std::move(request)};
  if (const auto key = keys.find(key_sources(row))) {
    request.headers.push_back(key_header(row, *key));
    return {std::move(request), key_refusal(row, base)};
  }
  if (row.key_needed && base == row.base_url)
    return {{},
            "there is no key for " + model.provider + "; " + how_to_give_key(row) +
                ", or use offline/demo"};
  return {std::move(request)};
}

// An end mark alone says nothing either.
bool is_spoken(const model::Delta& delta) {
  return !std::holds_alternative<model::delta::UsageUpdate>(delta) &&
         !std::holds_alternative<model::delta::Transformed>(delta) &&
         !std::holds_alternative<model::delta::Failed>(delta) &&
         !std::holds_alternative<model::delta::Finished>(delta);
}

// One sending of a request and what came of it. Nothing is reported before there is something to
// show, so that an attempt that failed early can be forgotten.
class StreamAttempt {
 public:
  StreamAttempt(const wire::Codec& codec, const model::ModelRef& model, const model::Ports& ports)
      : codec_(codec), ports_(ports), decoder_(codec), assembler_(model.provider, model.model) {}

  void run(const http::HttpRequest& request) {
    http::HttpHandlers handlers;
    handlers.on_head = [this](const http::HttpResponse& head) { status_ = head.status; };
    handlers.on_body = [this](std::string_view piece) { return take(piece); };
    handlers.whole = [this] { return assembler_.finished(); };
    response_ = http::http_exchange(request, handlers, ports_);
    conclude();
  }

  http::RetryPlan plan(const http::Tried& tried, std::chrono::milliseconds first_wait) const {
    if (spoken_ || !assembler_.failure() || assembler_.failure()->overflow) return {};
    http::HttpResponse judged = response_;
    if (judged.end == End::refused) judged.end = End::complete;  // we had read enough of it
    // An error inside a stream of events has no status; a page instead of a stream will
    // not be another one next time.
    if (is_success() && judged.end == End::complete)
      judged.status = assembler_.failure()->retryable && (is_event_stream() || !heard_) ? 503 : 400;
    const double jitter = static_cast<double>(random_id().value >> 11) * 0x1p-53;
    return http::plan_retry(judged, error_body_, tried, jitter, now_ms(), first_wait);
  }

  const http::HttpResponse& response() const { return response_; }
  const std::optional<model::delta::Failed>& failure() const { return assembler_.failure(); }

  // Tells what was held back and returns the message.
  model::Message finish(const std::vector<std::string>& secrets, const std::string& hint) {
    if (response_.end == End::stopped || ports_.stopped()) return assembler_.aborted();
    for (model::Delta& delta : held_) {
      if (auto* failed = std::get_if<model::delta::Failed>(&delta)) {
        failed->text = with_hint(mask_secrets(failed->text, secrets), hint);
        failed->elsewhere = another_may_answer();
      }
      ports_.sink(model::Streaming{delta});
    }
    model::Message message = assembler_.message();
    message.error = mask_secrets(message.error, secrets);
    if (message.stop == model::Stop::error) message.error = with_hint(message.error, hint);
    if (message.stop == model::Stop::interrupted)
      message.error = response_.trouble.empty() ? "the answer was cut off before its end"
                                                : mask_secrets(response_.trouble, secrets);
    return message;
  }

  void fail(std::string text, bool overflow = false, bool retryable = false) {
    tell(model::delta::Failed{std::move(text), overflow, retryable});
  }

 private:
  bool is_success() const { return status_ >= 200 && status_ < 300; }

  // Asked when trying again is over.
  bool another_may_answer() const {
    if (spoken_ || !assembler_.failure() || assembler_.failure()->overflow) return false;
    if (is_success()) return assembler_.failure()->retryable;
    return status_ >= 500 || status_ == 429 || status_ == 404 ||
           has_any_of(error_body_, no_such_model);
  }

  bool is_event_stream() const {
    return http::header_value(response_.headers, "content-type").starts_with("text/event-stream");
  }

  bool take(std::string_view piece) {
    if (!is_success()) {
      error_body_ += piece.substr(0, max_error_body - error_body_.size());
      return error_body_.size() < max_error_body;
    }
    heard_ = heard_ || !piece.empty();
    for (model::Delta& delta : decoder_.feed(piece)) tell(std::move(delta));
    return !assembler_.failure();
  }

  void tell(model::Delta delta) {
    limit_.pass(std::move(delta), [this](model::Delta given) {
      assembler_.add(given);
      spoken_ = spoken_ || is_spoken(given);
      held_.push_back(std::move(given));
      if (!spoken_) return;
      for (model::Delta& each : std::exchange(held_, {}))
        ports_.sink(model::Streaming{std::move(each)});
    });
  }

  // What the end of the exchange says about the answer.
  void conclude() {
    if (response_.end == End::stopped) return;
    if (response_.end == End::unreachable) return fail(response_.trouble, false, response_.again);
    if (!is_success()) return tell(codec_.explain(status_, error_body_, response_.headers));
    if (assembler_.failure()) return;
    for (model::Delta& delta : decoder_.finish()) tell(std::move(delta));
    if (spoken_ || assembler_.failure()) return;
    if (response_.end == End::cut) return fail(response_.trouble, false, response_.again);
    const std::string type(http::header_value(response_.headers, "content-type"));
    fail("the provider sent an empty answer" + (type.empty() ? "" : " (" + type + ")"), false,
         true);
  }

  const wire::Codec& codec_;
  const model::Ports& ports_;
  wire::StreamDecoder decoder_;
  model::Assembler assembler_;
  wire::AnswerLimit limit_{};
  http::HttpResponse response_{};
  int status_ = 0;
  std::string error_body_{};
  model::Deltas held_{};
  bool heard_ = false;  // something of a body, whatever it says
  bool spoken_ = false;
};

// Where the key that was sent came from, or should have come from.
std::string source_of_key(const catalog::ProviderRow& row, const Keyring& keys) {
  const std::string source = keys.source(key_sources(row));
  if (source == "key command")
    return "the key-command of [providers." + std::string(row.name) + "]";
  if (!source.empty()) return source == "stored key" ? "the stored key" : source;
  const auto variables = variables_of(row);
  return variables.empty() ? std::string{} : variables.front();
}

// A service that has the older format and wants the newer one for this model.
bool wants_responses(const StreamAttempt& attempt, const catalog::ProviderRow& row) {
  return row.wire == handover::WireFormat::openai_chat && attempt.failure() &&
         attempt.failure()->text.find("v1/responses") != std::string::npos;
}

// What was done about a failure, and what the user can do. `ended`: what is known of the end of
// this model, if it has one.
std::string hint_for(const StreamAttempt& attempt, const http::RetryPlan& plan,
                     const http::Tried& tried, const catalog::ProviderRow& row, const Keyring& keys,
                     const std::string& ended) {
  if (!plan.refusal.empty()) return "; " + plan.refusal;
  if (tried.retries > 0)
    return "; tried " + std::to_string(tried.retries + 1) + " times in " +
           short_duration(tried.waited.count());
  const int status = attempt.response().status;
  if (wants_responses(attempt, row))
    return row.name == "openai-chat"
               ? "; use openai-responses/ for it"
               : "; set wire = \"responses\" in [providers." + std::string(row.name) + "]";
  if (!ended.empty() && (status == 400 || status == 404 || status == 410)) return "; " + ended;
  if ((status != 401 && status != 403) || row.auth == catalog::Auth::none) return {};
  const std::string source = source_of_key(row, keys);
  return source.empty() ? "" : "; check " + source;
}

}  // namespace

model::Message HttpProvider::stream(const model::Context& context, const model::ModelRef& model,
                                    const model::Ports& ports) {
  const auto start = Clock::now();
  const catalog::ProviderRow* found = catalog_.find_provider(model.provider);
  if (found == nullptr) throw Error("no provider is called " + model.provider, ExitStatus::usage);
  const catalog::ProviderRow row = catalog::routed(*found, model.model);
  const wire::Codec& codec = codec_of(row.wire);
  const catalog::ModelRow known = catalog_.find_model(model);
  PreparedRequest prepared = prepare(context, model, row, known, keys_);
  prepared.request.timeouts = timeouts_;

  for (http::Tried tried;; ++tried.retries) {
    StreamAttempt attempt(codec, model, ports);
    http::RetryPlan plan;
    if (prepared.refusal.empty()) {
      attempt.run(prepared.request);
      plan = attempt.plan(tried, timeouts_.retry);
    } else {
      attempt.fail(prepared.refusal);
    }
    const int count = tried.retries + 1;
    log_debug("request", {{"model", model::to_string(model)},
                          {"attempt", count},
                          {"messages", context.messages.size()},
                          {"status", attempt.response().status}});
    if (plan.again) {
      log_warning("retry", {{"model", model::to_string(model)},
                            {"attempt", count},
                            {"status", attempt.response().status},
                            {"wait_ms", plan.wait.count()}});
      tried.waited += plan.wait;
      const std::string reason = mask_secrets(attempt.failure()->text, keys_.secrets());
      if (http::wait_to_retry(plan.wait, count, reason, ports)) continue;
    }
    model::Message message = attempt.finish(
        keys_.secrets(),
        hint_for(attempt, plan, tried, row, keys_, catalog::ended_text(catalog_, model, now_ms())));
    message.duration_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
    if (context.on_sent && prepared.refusal.empty())
      context.on_sent(sent_request(prepared.request.body, model, row, known));
    return message;
  }
}

}  // namespace skein::providers
