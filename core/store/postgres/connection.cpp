#include "core/store/postgres/connection.h"

#include "core/text/log.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::store::postgres {

namespace {

void put_number(std::string& out, std::uint64_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(number >> shift & 0xff);
}

// One dimension, no nulls, counted from 1.
std::string array_head(Type element, std::size_t count) {
  std::string out;
  put_number(out, count == 0 ? 0 : 1, 4);
  put_number(out, 0, 4);
  put_number(out, static_cast<std::uint32_t>(element), 4);
  if (count == 0) return out;
  put_number(out, count, 4);
  put_number(out, 1, 4);
  return out;
}

std::int64_t number_in(std::string_view bytes) {
  std::uint64_t out = 0;
  for (const char c : bytes) out = out << 8 | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(out);
}

const PostgresModule& libpq() { return module_functions<PostgresModule>(); }

Problem problem_of(const ProblemView& view) {
  return {view.kind, std::string(view.state), std::string(view.constraint), std::string(view.text)};
}

// Whether a call is to go on waiting: until the user wants one more thing to end.
auto until_interrupted(const std::function<unsigned()>& interrupts) {
  return [&interrupts, before = interrupts()] { return interrupts() == before; };
}

using Clock = std::chrono::steady_clock;

constexpr int connect_patience_ms = 10'000, impatient_ms = 3'000;
// Promoting a standby takes seconds; after a longer wait the user should know.
constexpr std::chrono::seconds failover_patience{30};
constexpr std::chrono::milliseconds between_tries{200};

// Run on every new connection. A dead client's locks must not outlive it for long, and what waits
// for a lock gives up before we do. To plan an append again takes 3 ms, longer than to do it, and
// no statement of ours needs another plan for other values, or is worth being compiled.
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

SqlValues& SqlValues::add(Type type, std::string_view bytes) {
  values_.push_back({type, bytes});
  return *this;
}

SqlValues& SqlValues::keep(Type type, std::string bytes) {
  return add(type, kept_.emplace_back(std::move(bytes)));
}

std::string SqlValues::in_network_order(std::uint64_t number) {
  std::string out;
  put_number(out, number, 8);
  return out;
}

SqlValues& SqlValues::truth(bool value) {
  return keep(Type::boolean, std::string(1, value ? '\1' : '\0'));
}

SqlValues& SqlValues::integers(std::span<const std::int64_t> numbers) {
  std::string out = array_head(Type::integer, numbers.size());
  out.reserve(out.size() + 12 * numbers.size());
  for (const std::int64_t number : numbers) {
    put_number(out, 8, 4);
    put_number(out, static_cast<std::uint64_t>(number), 8);
  }
  return keep(Type::integer_array, std::move(out));
}

SqlValues& SqlValues::strings_of(Type array, Type element,
                                 std::span<const std::string_view> strings) {
  std::string out = array_head(element, strings.size());
  std::size_t all = out.size();
  for (const std::string_view string : strings) all += 4 + string.size();
  out.reserve(all);
  for (const std::string_view string : strings) {
    put_number(out, string.size(), 4);
    out += string;
  }
  return keep(array, std::move(out));
}

std::string_view Columns::next(Type type) {
  if (at_ >= row_.size() || row_[at_].type != type || row_[at_].null) {
    ++at_;
    fit_ = false;
    return {};
  }
  return row_[at_++].bytes;
}

std::int64_t Columns::integer() {
  const std::string_view bytes = next(Type::integer);
  if (bytes.size() == 8) return number_in(bytes);
  fit_ = false;
  return 0;
}

std::string_view Columns::text() { return next(Type::text); }

std::string_view Columns::bytes() { return next(Type::bytes); }

bool Columns::truth() {
  const std::string_view bytes = next(Type::boolean);
  fit_ = fit_ && bytes.size() == 1;
  return bytes.size() == 1 && bytes[0] != '\0';
}

bool is_address(std::string_view home) {
  return home.starts_with("postgresql://") || home.starts_with("postgres://");
}

DatabaseTarget described_address(const std::string& address) {
  DatabaseTarget target;
  Callbacks callback;
  libpq().describe(address, callback([&](AddressPart part, Bytes text) {
                     switch (part) {
                       case AddressPart::host: target.hosts.emplace_back(text); break;
                       case AddressPart::socket_folder:
                         target.socket_folders.emplace_back(text);
                         break;
                       case AddressPart::database: target.database = text; break;
                       case AddressPart::user: target.user = text; break;
                       case AddressPart::password_file: target.password_file = text; break;
                       case AddressPart::problem: target.problem = text; break;
                     }
                   }));
  callback.rethrow();
  if (!target.problem.empty())
    throw Error("the address of the home cannot be used: " + target.problem, ExitStatus::usage);
  return target;
}

std::string shown_address(const std::string& address) {
  const DatabaseTarget target = described_address(address);
  return "postgresql://" + (target.user.empty() ? "" : target.user + "@") +
         listed(target.hosts, ",") + "/" + target.database;
}

Result<std::unique_ptr<Link>> open_link(const std::string& address, const Waiting& waiting) {
  Callbacks callback;
  std::string problem;
  LibpqLink* const link = libpq().connect(
      address, waiting.connect_ms, callback(until_interrupted(waiting.interrupts)), into(problem));
  callback.rethrow();
  if (link == nullptr)
    return Failure{Failure::Kind::unreachable, "no connection to the database: " + problem};
  return std::make_unique<Link>(link, waiting.interrupts);
}

Problem Link::run(const Statement& statement, std::span<const SqlValue> values,
                  const std::function<void(Row)>& each, std::uint64_t& changed) {
  Callbacks callback;
  const Problem problem =
      problem_of(libpq().run(link_.get(), statement, values,
                             callback(until_interrupted(interrupts_)), callback(each), &changed));
  callback.rethrow();
  return problem;
}

Problem Link::run_script(const std::string& sql) {
  Callbacks callback;
  const Problem problem =
      problem_of(libpq().run_script(link_.get(), sql, callback(until_interrupted(interrupts_))));
  callback.rethrow();
  return problem;
}

int Link::descriptor() const { return libpq().descriptor(link_.get()); }

Problem Link::take_news(const std::function<void(std::string_view)>& each) {
  Callbacks callback;
  const Problem problem = problem_of(libpq().take_news(link_.get(), callback(each)));
  callback.rethrow();
  return problem;
}

void Link::Close::operator()(LibpqLink* link) const { libpq().close(link); }

bool StatementOutcome::violates(std::string_view constraint) const {
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
  const StatementOutcome introduced = attempt(introduce, {}, [&](Columns& columns) {
    for (int settings = 11; settings > 0; --settings) columns.text();
    commits = columns.text();
    above_rules = columns.truth();
    prepared = columns.truth();
  });
  if (introduced.problem) return failure_of(introduced.problem);
  if (commits == "off")
    return Failure{Failure::Kind::damaged,
                   "the database at " + shown_address(address_) +
                       " acknowledges what it has not written yet (synchronous_commit is off), so "
                       "it could lose entries; turn it on for this user or database"};
  if (!prepared)
    return Failure{Failure::Kind::damaged,
                   "the database at " + shown_address(address_) +
                       " is not prepared for sessions; run `skein admin init-db`"};
  const StatementOutcome asked =
      attempt(read_format, {}, [&](Columns& columns) { format = columns.text(); });
  if (asked.problem) return failure_of(asked.problem);
  if (const std::string trouble = format_problem(format, shown_address(address_)); !trouble.empty())
    return Failure{Failure::Kind::unsupported_version, trouble};
  if (above_rules && !told_ && tell_)
    tell_(
        "the database user " + described_address(address_).user +
        " bypasses row security and sees the sessions of all users; use an ordinary database user");
  told_ = true;
  return {};
}

StatementOutcome Connection::attempt(const Statement& statement, std::span<const SqlValue> values,
                                     const TakeRow& each) {
  StatementOutcome outcome;
  if (!link_) {
    outcome.problem = {.kind = Problem::Kind::lost, .text = "there is no connection"};
    return outcome;
  }
  bool fit = true;
  const auto take = [&](Row row) {
    if (!fit || !each) return;
    Columns columns(row);
    each(columns);
    fit = columns.fit();
  };
  outcome.problem = link_->run(statement, values, take, outcome.changed);
  if (outcome.problem && outcome.problem.kind != Problem::Kind::said_no) link_.reset();
  if (!outcome.problem && !fit) {
    link_.reset();
    outcome.problem = {.kind = Problem::Kind::absurd,
                       .text = "the database server sent an unexpected answer"};
  }
  return outcome;
}

Result<std::uint64_t> Connection::ask(const Statement& statement, std::span<const SqlValue> values,
                                      const TakeRow& each) {
  for (int tries = 0;; ++tries) {
    const StatementOutcome outcome = attempt(statement, values, each);
    if (!outcome.problem) return outcome.changed;
    if (!outcome.lost() || tries > 2) return failure_of(outcome.problem);
    TRY(reconnect());
  }
}

Result<void> Connection::reconnect() {
  const Clock::time_point until = Clock::now() + failover_patience;
  const unsigned before = interrupts_();
  const auto stopped = [&] { return interrupts_() != before; };
  for (bool reported = false;; reported = true) {
    Result<void> connected = connect(impatient_ ? impatient_ms : connect_patience_ms);
    if (connected) {
      log_warning("connected to the database again", {});
      return connected;
    }
    if (impatient_ || stopped() || connected.error().kind != Failure::Kind::unreachable ||
        Clock::now() >= until)
      return connected;
    if (!reported && tell_)
      tell_("the connection to the database is lost; skein tries again for " +
            std::to_string(failover_patience.count()) + " seconds, ^C gives up");
    pause_until(Clock::now() + between_tries, stopped);
  }
}

Result<void> Connection::listen() {
  if (const StatementOutcome outcome = attempt({"", "listen skein"}, {}); outcome.problem)
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

std::optional<std::size_t> format_number(const std::string& format) {
  const auto number = parse_number<std::size_t>(format);
  return number > 0u ? number : std::nullopt;
}

std::string format_problem(const std::string& format, const std::string& shown) {
  const std::optional<std::size_t> number = format_number(format);
  if (number == schema_format) return {};
  const std::string has = "the database at " + shown + " has format " + format;
  if (number && *number < schema_format)
    return has + " of an older skein, and this one needs " + std::to_string(schema_format) +
           "; upgrade it with `skein admin init-db`. Its contents are kept, but older skeins "
           "cannot use it from then on";
  return has + " of a newer skein, and this one knows " + std::to_string(schema_format) +
         "; use a newer skein";
}

}  // namespace skein::store::postgres
