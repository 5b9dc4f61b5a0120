// skein sessions …, append, branch: the store from outside, for scripts and for people.

#include "app/setup/home.h"
#include "app/setup/load_config.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/model/entry.h"
#include "core/model/scrub.h"
#include "core/model/state.h"
#include "core/model/tree.h"
#include "core/store/backend.h"
#include "core/store/children.h"
#include "core/store/entry_text.h"
#include "core/store/expiry.h"
#include "core/store/home/file_backend.h"
#include "core/store/home/migration.h"
#include "core/store/log/line_codec.h"
#include "core/store/session_name.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/table.h"
#include "repl/pick/session_picker.h"

namespace skein::verbs {

using store::NewEntry, store::SessionRecord, store::SessionStore, store::StoredEntry;
using store::value_or_throw;

namespace {

// `bill`: what the session and its sub-agents have used; null: the session's own usage.
JsonText record_json(const SessionRecord& record, const catalog::Catalog& catalog,
                     const std::string& at_work = {},
                     const std::map<std::string, model::Usage>* bill = nullptr) {
  const model::SessionState& state = record.state;
  const model::Usage usage = model::total_usage(state);
  // null: nothing was used, or a price is not known. Never a guess.
  const std::optional<catalog::Cost> cost = catalog.cost(bill != nullptr ? *bill : state.usage);
  std::string out;
  JsonWriter writer(out);
  writer.text("key", record.key);
  writer.text("id", to_string(record.header.session));
  writer.text("title", state.title);
  writer.text("created_at", record.header.created_at);
  writer.text("updated_at", record.used_at());
  writer.number("message_count", state.messages);
  writer.text("cwd", record.header.cwd);
  writer.text("model", state.model);
  writer.open("stats");
  JsonWriter stats(out);
  stats.number("input_tokens", usage.input);
  stats.number("output_tokens", usage.output);
  stats.number("cache_read_tokens", usage.cache_read);
  stats.number("cache_write_tokens", usage.cache_write);
  stats.number("tool_calls", state.tool_calls);
  stats.raw("cost_usd", cost && !cost->at_least ? dump(cost->dollars) : "null");
  if (cost && cost->at_least) stats.raw("cost_usd_at_least", dump(cost->dollars));
  stats.end();
  writer.number("bytes", static_cast<std::int64_t>(record.bytes));
  writer.id("head", state.head);
  writer.number("branches", static_cast<std::int64_t>(state.leaves.size()));
  writer.truth("archived", record.archived);
  writer.text_if("origin", state.origin);
  if (store::is_child(record)) writer.id("parent", record.header.parent_session->session);
  if (state.pinned) writer.truth("pinned", true);
  writer.text_if("ttl", state.ttl);
  writer.text_if("project", record.header.project);
  writer.text_if("at_work", at_work);
  writer.end();
  return out;
}

// An entry that is not as it was written says so.
JsonText entry_json(const StoredEntry& placed, const std::set<Id>& redacted) {
  JsonText out = store::to_json(model::masked(placed.entry, redacted));
  if (placed.altered) out.insert(out.size() - 1, ",\"altered\":true");
  return out;
}

// Prints the entries of a JSON array one by one. The brackets are the caller's.
store::VisitEntry entry_printer(const std::set<Id>& redacted) {
  return [&redacted, first = true](const StoredEntry& placed) mutable {
    print_text((std::exchange(first, false) ? "" : ",") +
               printable_json(entry_json(placed, redacted)));
    return true;
  };
}

// An error is not an end: what came before it may be half of a batch.
std::string all_of_stdin() {
  std::string input, block(64u << 10, '\0');
  std::size_t line = 0;  // where the last one begins
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), stdin)) {
    input.append(block, 0, got);
    if (const std::size_t end = input.rfind('\n'); end != std::string::npos && end >= line)
      line = end + 1;
    // With room for the white space that a line of a transcript has not.
    if (input.size() - line > 2 * store::log::max_line_bytes)
      throw UsageError("an entry is larger than 16 MiB; nothing was written");
    if (input.size() > 4 * store::log::max_batch_bytes)
      throw UsageError("a batch holds at most 32 MiB; split it, nothing was written");
  }
  if (std::ferror(stdin) != 0) throw UsageError("cannot read standard input; nothing was written");
  return input;
}

// A person's view of an entry: who, and what.
void print_entry(const StoredEntry& placed, const std::set<Id>& redacted) {
  const model::Entry entry = model::masked(placed.entry, redacted);
  const std::string id =
      to_string(entry.id) + (placed.altered ? "  " + std::string(store::altered_mark) : "");
  print_line(id + "  " + model::kind_of(entry));
  if (const std::string words = model::words_of(entry); !words.empty()) print_line(words);
}

void show_tree(SessionStore& store, const SessionRecord& record, bool ascii) {
  const Id session = record.header.session;
  const model::Tree tree = value_or_throw(store.tree(session));
  model::draw(
      tree,
      {.label =
           [&](const model::Tree::Node& node) {
             const store::Result<StoredEntry> found = store.transcripts().load_at(session, node.at);
             const std::string head =
                 node.id == record.state.head ? (ascii ? "  <- head" : "  ← head") : "";
             return layout::sanitized(
                        to_string(node.id) + ": " +
                        (found && found->altered ? std::string(store::altered_mark) + " " : "") +
                        (found ? model::preview(model::masked(found->entry, record.state.redacted),
                                                30)
                               : "")) +
                    head;
           },
       .ascii = ascii},
      print_text);
}

// An entry about one that is not there would mask or sum up nothing.
void check_references(SessionStore& store, const std::string& name,
                      const std::vector<NewEntry>& entries) {
  const store::Result<SessionRecord> record = store.find(name);
  std::set<Id> known;
  for (const NewEntry& each : entries) {
    const std::optional<Id> other = store::referred_entry(each.entry);
    if (other && !known.contains(*other) &&
        !(record && store.load_entry(record->header.session, *other)))
      throw UsageError("the " + each.entry.type + " refers to entry " + to_string(*other) +
                       ", which is not in the session");
    known.insert(each.entry.id);
  }
}

// A line of the list for people; `at_work`: who works in it, empty if no process does; `width`: of
// the widest key.
std::string line_of(const SessionRecord& record, std::size_t children, const std::string& at_work,
                    const catalog::Catalog& catalog, std::size_t width) {
  return pad(record.key, width) + "  " + to_string(record.header.session).substr(0, 8) + "  " +
         pad(record.used_at().substr(0, 16), 16) + "  " +
         (at_work.empty() ? "" : "● " + at_work + " · ") + (record.archived ? "archived · " : "") +
         (record.state.pinned ? "pinned · " : "") +
         (record.state.origin.empty() ? "" : "from " + record.state.origin + " · ") +
         (children > 0 ? counted(children, "sub-agent") + " · " : "") +
         model::stats_line(record.state, catalog.cost(record.state.usage)) + "  " +
         record.state.title;
}

// 0: all. Scripts get all unless they say otherwise, people a page.
std::size_t listed_at_most(const Invocation& invocation) {
  constexpr std::size_t page = 50;
  if (!invocation.has("--limit")) return invocation.has("--json") ? 0 : page;
  const std::string text = invocation.value("--limit");
  if (const auto limit = parse_number<std::size_t>(text)) return *limit;
  throw UsageError("--limit takes a whole number, not '" + text + "'");
}

}  // namespace

void list_sessions(const Invocation& invocation) {
  if (invocation.has("--trash")) return list_trash(invocation);
  const std::size_t limit = listed_at_most(invocation);
  const auto home = app::home_in_database(invocation) ? nullptr : app::open_home(invocation);
  SessionStore store = home ? SessionStore(std::make_unique<store::home::FileBackend>(home))
                            : app::open_store(invocation);
  const std::string origin = invocation.value("--origin");
  // One more than are shown tells whether there are more.
  std::vector<SessionRecord> sessions =
      store.list({.limit = origin.empty() && limit > 0 ? limit + 1 : 0});
  if (!origin.empty())
    std::erase_if(sessions, [&](const SessionRecord& record) {
      return record.state.origin != (origin == "own" ? "" : origin);
    });
  std::map<Id, std::size_t> children;
  if (!invocation.has("--json") && std::ranges::any_of(sessions, &store::is_child)) {
    if (limit > 0 && origin.empty()) sessions = store.list();
    children = store::fold_children(sessions);
  }
  const bool more = limit > 0 && sessions.size() > limit;
  if (more) sessions.resize(limit);
  const auto catalog = app::configured_catalog(invocation);
  std::map<Id, std::string> workers = store::at_work(store, sessions);
  if (invocation.has("--json"))
    return print_json("[" +
                      listed(sessions, ",",
                             [&](const SessionRecord& record) {
                               return record_json(record, *catalog, workers[record.header.session]);
                             }) +
                      "]");
  if (sessions.empty()) print_text("no sessions yet\n");
  if (const screen::Screen::Parts screen = screen_parts(invocation);
      screen.look.live && !sessions.empty()) {
    const layout::Table table =
        pick::session_table(sessions, {.at_work = workers, .folders = true, .whole_keys = true});
    print_styled(trimmed(layout::drawn(table, screen.port.width(), screen.look), "\n"));
  } else {
    std::size_t width = 0;
    for (const SessionRecord& record : sessions) width = std::max(width, record.key.size());
    for (const SessionRecord& record : sessions)
      print_line(line_of(record, children[record.header.session], workers[record.header.session],
                         *catalog, width));
  }
  if (more) {
    std::fflush(stdout);  // the sessions come first, also where both go to one place
    tell_user("these are the last " + std::to_string(limit) +
              "; --limit 0 shows all, `skein search` searches them");
    return;  // older forms are reported when all are listed
  }
  if (const std::size_t older = home ? store::home::older_forms(*home) : 0; older > 0)
    print_text(counted(older, "session") + " in an older format " + (older == 1 ? "is" : "are") +
               " not listed; `skein doctor --repair` converts " + (older == 1 ? "it" : "them") +
               "\n");
}

void show_session(const Invocation& invocation) {
  auto [store, record, session] = open_session(invocation);
  if (invocation.has("--entry")) {
    const Id id = value_or_throw(store.find_entry(session, invocation.value("--entry")));
    const StoredEntry placed = value_or_throw(store.load_placed(session, id));
    return invocation.has("--json") ? print_json(entry_json(placed, record.state.redacted))
                                    : print_entry(placed, record.state.redacted);
  }
  const store::Damage damage = value_or_throw(store.transcripts().examine(session));
  if (const auto met = store.open(session).damage; met.any())
    tell_user(store::damage_notice(met, record.key));
  else if (damage.any())
    tell_user("this transcript is damaged; `skein doctor " + record.key + "` shows where");
  const auto each_on_path = [&](const store::VisitEntry& visit) {
    if (!record.state.head) return;
    for (const std::string& text :
         value_or_throw(store.visit_path(session, *record.state.head, visit)))
      tell_user(text);
  };
  const std::set<Id>& redacted = record.state.redacted;
  const bool tree = invocation.has("--tree");
  if (!invocation.has("--json")) {
    if (tree) return show_tree(store, record, invocation.has("--ascii"));
    return each_on_path([&](const StoredEntry& placed) {
      print_entry(placed, redacted);
      return true;
    });
  }
  std::map<std::string, model::Usage> bill = record.state.usage;
  for (const SessionRecord& each : store::children_of(store, session))
    for (const auto& [model, usage] : each.state.usage) bill[model] += usage;
  print_text("{\"session\":" +
             printable_json(record_json(record, *app::configured_catalog(invocation), {}, &bill)) +
             ",\"path\":[");
  each_on_path(entry_printer(redacted));
  if (tree) {
    print_text("],\"entries\":[");
    value_or_throw(store.transcripts().load(session, 0, entry_printer(redacted)));
    const auto quoted = [](Id leaf) { return json_string(to_string(leaf)); };
    print_text("],\"leaves\":[" + listed(record.state.leaves, ",", quoted) + "]}\n");
  } else {
    print_text("]}\n");
  }
}

void delete_sessions(const Invocation& invocation) {
  SessionStore store = app::open_store(invocation);
  // All names are looked up before anything is moved, so that a slip moves nothing.
  std::vector<SessionRecord> found;
  for (const std::string& name : invocation.arguments)
    found.push_back(value_or_throw(store.find(name)));
  for (const SessionRecord& record : found) {
    value_or_throw(store::erase_family(store, record.header.session));
    print_answer(invocation,
                 dump({{"deleted", record.key}, {"id", to_string(record.header.session)}}),
                 "moved " + record.key + " to the trash; `skein sessions restore " + record.key +
                     "` restores it");
  }
}

void restore_session(const Invocation& invocation) {
  SessionStore store = app::open_store(invocation);
  const std::string& wanted = invocation.arguments.at(0);
  const SessionRecord record = value_or_throw(store::restore_for_use(store, wanted));
  print_answer(invocation, record_json(record, *app::configured_catalog(invocation)),
               record.header.key == record.key
                   ? "restored " + record.key
                   : "restored as " + record.key + ": " + record.header.key +
                         " is now the key of another session");
}

void rename_session(const Invocation& invocation) {
  auto [store, record, session] = open_session(invocation);
  value_or_throw(store.mark(session, model::payload::Title{invocation.arguments.at(1)}));
  store.presence().remember(session, "");
  if (invocation.has("--json"))
    print_json(record_json(store.open(session), *app::configured_catalog(invocation)));
}

void append_entries(const Invocation& invocation) {
  const std::string input = all_of_stdin();
  std::vector<NewEntry> entries;
  std::size_t number = 0;
  for (const std::string_view line : split(input, '\n')) {
    ++number;
    if (trimmed(line).empty()) continue;
    store::Result<NewEntry> entry = store::new_entry_from_json(line);
    if (!entry) throw UsageError("line " + std::to_string(number) + ": " + entry.error().text);
    entries.push_back(std::move(*entry));
  }
  store::AppendOptions options{.check_all_ids = true};
  if (invocation.has("--expect-tail")) {
    options.expected_tail = parse_id(invocation.value("--expect-tail"));
    if (!options.expected_tail)
      throw UsageError("--expect-tail takes an entry id (16 lower-case hex digits)");
  }

  SessionStore store = app::open_store(invocation);
  const std::string& name = invocation.arguments.at(0);
  check_references(store, name, entries);
  const auto workspace = [&] { return app::workspace_folder(invocation); };
  // Nothing to append makes no session.
  Id session = entries.empty() ? value_or_throw(store.find(name)).header.session
                               : value_or_throw(store.find_or_create(name, workspace)).session;

  store::AppendResult result{.session = session};
  if (!entries.empty()) {
    store::Result<store::AppendResult> appended =
        store.append_session_entries(session, entries, options);
    // Deleted since it was found: then the key is free, and begins a new session.
    if (!appended && appended.error().kind == store::Failure::Kind::gone &&
        store::is_whole_key(name)) {
      session = value_or_throw(store.find_or_create(name, workspace)).session;
      appended = store.append_session_entries(session, entries, options);
    }
    result = value_or_throw(std::move(appended));
  }
  print_json(
      dump({{"sessionId", to_string(session)},
            {"lastAppendedEntryId", result.last ? Json(to_string(*result.last)) : Json(nullptr)},
            {"appendedCount", result.appended}}));
}

void branch_session(const Invocation& invocation) {
  auto [store, record, session] = open_session(invocation);
  std::optional<Id> from = record.state.head;
  if (invocation.has("--from"))
    from = value_or_throw(store.find_entry(session, invocation.value("--from")));
  if (!from) throw UsageError("session " + record.key + " has no entry to branch from");
  const store::SessionHandle made = value_or_throw(store.branch_from_entry(
      session, *from, invocation.value("--new-key"), invocation.value("--summary")));
  const SessionRecord branch = store.open(made.session_id);
  print_answer(invocation, record_json(branch, *app::configured_catalog(invocation)),
               branch.key + " branches off " + record.key + " at " + to_string(*from));
}

}  // namespace skein::verbs
