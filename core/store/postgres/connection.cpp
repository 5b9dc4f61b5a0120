#include "core/store/postgres/connection.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "core/store/postgres/schema.h"
#include "core/store/postgres/values.h"
#include "core/text/log.h"
#include "core/text/wait.h"

namespace skein::store::postgres {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int connect_patience_ms = 10'000, impatient_ms = 3'000;
// Promoting a standby takes seconds; whoever waits longer than this should be told.
constexpr std::chrono::seconds failover_patience{30};
constexpr std::chrono::milliseconds between_tries{200};

// Run on every new connection. A dead client's locks must not outlive it for long, and what waits
// for a lock gives up before we do. To plan an append anew takes 3 ms, longer than to do it, and no
// statement of ours needs another plan for other values, or is worth being compiled.
constexpr Statement introduce{"", R"(
  select set_config('search_path', 'pg_catalog', false), set_config('client_min_messages', 'error', false),
         set_config('lock_timeout', '10s', false), set_config('statement_timeout', '55s', false),
         set_config('idle_in_transaction_session_timeout', '60s', false),
         set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),
         set_config('tcp_keepalives_count', '3', false), set_config('default_transaction_isolation', 'read committed', false),
         set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false),
         current_setting('synchronous_commit'),
         coalesce((select rolsuper or rolbypassrls from pg_catalog.pg_roles where rolname = current_user), true),
         to_regclass('skein.meta') is not null)"};

constexpr Statement read_format{"", "select value from skein.meta where name = 'format'"};

}  // namespace

bool Outcome::violates(std::string_view constraint) const {
  constexpr std::string_view unique_violation = "23505";
  return problem.state == unique_violation && problem.constraint == constraint;
}

Connection::Connection(std::string address, Tell tell, Interrupts interrupts)
    : address_(std::move(address)), tell_(std::move(tell)), interrupts_(std::move(interrupts)) {
  described_address(address_);
  value_or_throw(connect(connect_patience_ms));
}

Result<void> Connection::connect(int patience_ms) {
  link_.reset();
  Result<std::unique_ptr<Link>> opened = open_link(address_, {patience_ms, interrupts_});
  if (!opened) return opened.error();
  link_ = *std::move(opened);
  if (auto checked = check(); !checked) {
    link_.reset();
    return checked;
  }
  return {};
}

Result<void> Connection::check() {
  std::string commits, format;
  bool above_rules = false, prepared = false;
  const Outcome introduced = attempt(introduce, {}, [&](Row row) {
    Columns columns(row);
    for (int settings = 11; settings > 0; --settings) columns.text();
    commits = columns.text();
    above_rules = columns.truth();
    prepared = columns.truth();
    return columns.fit();
  });
  if (introduced.problem) return failure_of(introduced.problem);
  if (commits == "off")
    return Failure{Failure::Kind::damaged,
                   "the database at " + shown_address(address_) +
                       " acknowledges what it has not written yet (synchronous_commit is off), so "
                       "it could lose entries; turn it on for this user or database"};
  if (!prepared)
    return Failure{Failure::Kind::damaged, "the database at " + shown_address(address_) +
                                               " is not prepared for sessions; `skein admin "
                                               "init-db` does that"};
  const Outcome asked = attempt(read_format, {}, [&](Row row) {
    Columns columns(row);
    format = columns.text();
    return columns.fit();
  });
  if (asked.problem) return failure_of(asked.problem);
  if (const std::string trouble = format_problem(format, shown_address(address_)); !trouble.empty())
    return Failure{Failure::Kind::unsupported_version, trouble};
  if (above_rules && !told_ && tell_)
    tell_("the database user " + described_address(address_).user +
          " stands above its rules and sees everybody's sessions; a plain user would do");
  told_ = true;
  return {};
}

Outcome Connection::attempt(const Statement& statement, std::span<const Value> values,
                            const TakeRow& each) {
  Outcome outcome;
  if (!link_) {
    outcome.problem = {.kind = Problem::Kind::lost, .text = "there is no connection"};
    return outcome;
  }
  bool fit = true;
  outcome.problem = link_->run(
      statement, values, [&](Row row) { fit = fit && (!each || each(row)); }, outcome.changed);
  if (outcome.problem && outcome.problem.kind != Problem::Kind::said_no) link_.reset();
  if (!outcome.problem && !fit) {
    link_.reset();
    outcome.problem = {
        .kind = Problem::Kind::absurd,
        .text = "the database server answers with something else than was asked for"};
  }
  return outcome;
}

Result<std::uint64_t> Connection::ask(const Statement& statement, std::span<const Value> values,
                                      const TakeRow& each) {
  for (int tries = 0;; ++tries) {
    const Outcome outcome = attempt(statement, values, each);
    if (!outcome.problem) return outcome.changed;
    if (!outcome.lost() || tries > 2) return failure_of(outcome.problem);
    if (const auto again = reconnect(); !again) return again.error();
  }
}

Result<void> Connection::reconnect() {
  const Clock::time_point until = Clock::now() + failover_patience;
  const unsigned before = interrupts_();
  const auto stopped = [&] { return interrupts_() != before; };
  for (bool told = false;; told = true) {
    Result<void> connected = connect(impatient_ ? impatient_ms : connect_patience_ms);
    if (connected) {
      log_warning("connected to the database again", {});
      return connected;
    }
    if (impatient_ || stopped() || connected.error().kind != Failure::Kind::unreachable ||
        Clock::now() >= until)
      return connected;
    if (!told && tell_)
      tell_("the connection to the database is lost; it is tried again for " +
            std::to_string(failover_patience.count()) + " seconds, ^C gives up");
    pause_until(Clock::now() + between_tries, stopped);
  }
}

Result<void> Connection::listen() {
  if (const Outcome outcome = attempt({"", "listen skein"}, {}); outcome.problem)
    return failure_of(outcome.problem);
  return {};
}

bool Connection::take_news(const std::function<void(std::string_view)>& each) {
  if (link_ && !link_->take_news(each)) return true;
  link_.reset();
  return false;
}

Failure Connection::failure_of(const Problem& problem) const {
  using Kind = Failure::Kind;
  struct Meaning {
    std::string_view state;  // how it begins
    Kind kind;
  };
  constexpr Meaning meanings[] = {
      {"55P03", Kind::busy},      {"57014", Kind::busy},      {"53100", Kind::no_space},
      {"42501", Kind::read_only}, {"25006", Kind::read_only},
  };
  const auto* meaning = std::ranges::find_if(
      meanings, [&](const Meaning& each) { return each.state == problem.state; });
  const bool lost = problem.kind == Problem::Kind::lost || problem.kind == Problem::Kind::stopped;
  return {meaning != std::end(meanings) ? meaning->kind
          : lost                        ? Kind::unreachable
                                        : Kind::io,
          (lost                                     ? "the connection to the database was lost: "
           : problem.kind == Problem::Kind::said_no ? "the database says: "
                                                    : "") +
              problem.text};
}

}  // namespace skein::store::postgres
