
#include "core/import/import_report.h"
#include "core/store/children.h"
#include "core/store/expiry.h"
#include "core/store/session_name.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/pick/session_picker.h"
#include "repl/session/session.h"

namespace skein::commands {

using importers::ImportedFile, importers::ImportSource, store::fresh_key, store::SessionRecord,
    store::value_or_throw;

namespace {

std::optional<Id> choose(Session& session, std::string_view query, bool everywhere);

bool can_choose(Session& session) {
  return session.keyboard() != nullptr || session.chooses_by_number();
}

// The session called `name`. At a terminal an ambiguous name opens the list; no whole key is.
std::optional<Id> session_meant(Session& session, std::string_view name) {
  const store::Result<SessionRecord> found = named_session(session, name);
  if (found) return found->header.session;
  const std::vector<SessionRecord> all = session.store().list();
  const auto fits = [&](const SessionRecord& each) { return pick::fits(name, each); };
  if (!can_choose(session) || store::is_whole_key(name) || std::ranges::none_of(all, fits))
    throw Error(found.error().text, store::exit_status_of(found.error()));
  return choose(session, name, true);
}

// Asks first. To delete the open session, another one is opened before it goes.
void erase(Session& session, const SessionRecord& chosen) {
  const auto record = chosen;  // a copy: it may belong to the conversation, which changes below
  const Id id = record.header.session;
  if (!session.confirm(pick::delete_question(record)))
    return session.screen().print("nothing was deleted\n");
  if (id == session.id()) {
    const std::vector<SessionRecord> all = session.store().list();
    const auto other = std::ranges::find_if(all, [&](const SessionRecord& each) {
      return each.header.session != id && each.header.cwd == session.workspace() &&
             !each.key.starts_with("main:print:") && !store::is_child(each);
    });
    if (other == all.end())
      new_session(session, "");
    else
      session.open(other->header.session);
  }
  value_or_throw(store::erase_family(session.store(), id));
  session.screen().print_untrusted("moved to the trash; /restore " +
                                   std::string(store::key_tail(record.key)) + " restores it\n");
}

std::optional<Id> choose_by_number(Session& session, std::string_view query) {
  constexpr std::size_t most = 20;
  // What is asked for by name may be anywhere.
  pick::ListedSessions listed = pick::listed_sessions(
      session.store().list(),
      {.which = query.empty() ? pick::SessionListing::here : pick::SessionListing::everywhere,
       .workspace = session.workspace(),
       .current = query.empty() ? std::optional(session.id()) : std::nullopt,
       .fits = [&](const SessionRecord& each) { return pick::fits(query, each); }});
  std::vector<SessionRecord>& all = listed.shown;
  if (all.empty()) throw Error("no session matches");
  const std::size_t older = all.size() > most ? all.size() - most : 0;
  const std::size_t more = older + listed.left_out();
  all.resize(all.size() - older);
  const auto chosen = session.choose(
      "sessions" + (more > 0 ? ", and " + std::to_string(more) + " more: /resume TEXT finds them"
                             : std::string()),
      pick::session_lines(all, session.id()));
  return chosen ? std::optional(all[*chosen].header.session) : std::nullopt;
}

std::optional<Id> choose(Session& session, std::string_view query, bool everywhere) {
  if (session.chooses_by_number()) return choose_by_number(session, query);
  return pick::pick_session(
      *session.keyboard(), session.store(),
      {.query = std::string(query),
       .current = session.id(),
       .workspace = session.workspace(),
       .everywhere = everywhere,
       .erase = [&](const SessionRecord& record) { erase(session, record); }});
}

void open_with_files(Session& session, Id id) {
  if (followed_instead(session, id)) return;
  const Id left = session.id();
  session.open(id);
  offer_files_of(session, left);
}

// The trash, for /restore without a name.
void show_trash(Session& session) {
  const std::vector<store::TrashedSession> all =
      value_or_throw(session.store().life_cycle().trash());
  if (all.empty()) return session.screen().print("the trash is empty\n");
  layout::Table table{.columns = {{"title"}, {"deleted"}, {"turns", true, true}, {"key"}}};
  for (const store::TrashedSession& each : all)
    table.rows.push_back(
        {each.title, pick::age(utc_from_ms(each.thrown_away_ms)), std::to_string(each.messages),
         each.key.empty() ? to_string(each.session) : std::string(store::key_tail(each.key))});
  session.screen().show(table);
  session.screen().print("/restore KEY restores one\n");
}

// What other programs keep about this folder, if the user wants it.
std::vector<ImportSource> offered(Session& session) {
  const std::vector<ImportSource> all = importers::usual_sources({});
  const importers::ImportOffer offer = importers::offer_for(session.workspace(), all);
  if (!offer.elsewhere.empty())
    session.screen().print_untrusted("there are " + importers::counted_by_agent(offer.elsewhere) +
                                     " about other folders; `skein import --all` imports them\n");
  if (offer.here.empty())
    throw Error("found no session of another program for this folder; name a file or a folder");
  if (!session.confirm("import " + importers::counted_by_agent(offer.here) + "?")) return {};
  return offer.here;
}

// A path as people type it at a prompt.
std::vector<ImportSource> named(std::string_view path) {
  const std::string whole = with_user_home(path);
  if (whole.empty()) throw Error("HOME is not set to an absolute path");
  std::vector<ImportSource> sources = importers::sources_in(whole, {});
  if (sources.empty()) throw Error(whole + " contains no session in a known format");
  return sources;
}

}  // namespace

// Keeps the model in use, and saves that in the other session so that a restart knows it too.
void open_with_this_model(Session& session, Id id) {
  const SessionRecord record = session.store().open(id);
  std::vector<store::NewEntry> changes;
  for (model::Entry& entry : agent::changes_to(record.state, session.settings().model))
    changes.push_back({std::move(entry)});
  if (!changes.empty()) value_or_throw(session.store().append_session_entries(id, changes));
  session.open(id);
}

void new_session(Session& session, std::string_view title) {
  const store::SessionHandle made = value_or_throw(session.store().create_session(
      {.key = fresh_key("main:cli"), .cwd = session.workspace(), .title = std::string(title)}));
  open_with_this_model(session, made.session_id);
}

// At a terminal only the newest are listed by default: thousands would scroll everything away.
void list_sessions(Session& session, std::string_view words) {
  constexpr std::size_t most = 50;
  const auto [first, rest] = first_word(words);
  const bool own = first == "own";
  pick::ListRequest request{.workspace = session.workspace(), .current = session.id()};
  if (first == "all") request.which = pick::SessionListing::all;
  if (first == "archived") request.which = pick::SessionListing::archived;
  const bool named = own || request.which != pick::SessionListing::here;
  const std::string filter = lower(trimmed(named ? rest : words, " "));
  request.fits = [&](const SessionRecord& record) {
    return !(own && pick::is_import(record)) &&
           lower(record.key + " " + record.state.title).find(filter) != std::string::npos;
  };
  if (request.which == pick::SessionListing::archived) request.current.reset();
  pick::ListedSessions listed = pick::listed_sessions(session.store().list(), request);
  std::vector<SessionRecord>& shown = listed.shown;
  const std::size_t older = session.keyboard() == nullptr || shown.size() <= most ||
                                    request.which == pick::SessionListing::all
                                ? 0
                                : shown.size() - most;
  shown.resize(shown.size() - older);
  const screen::Screen& screen = session.screen();
  if (shown.empty())
    session.screen().print(request.which == pick::SessionListing::archived
                               ? "no session is archived\n"
                               : "no session matches\n");
  else
    session.screen().show(
        pick::session_table(shown, {.current = session.id(),
                                    .at_work = store::at_work(session.store(), shown),
                                    .folders = request.which != pick::SessionListing::here,
                                    .whole_keys = screen.width() == 0 && !screen.look().labels}));
  if (older > 0)
    session.screen().print("and " + with_separators(older) +
                           " older; /sessions all shows them, /resume finds one\n");
  if (listed.left_out() > 0)
    session.screen().print("not shown: " + pick::left_out_text(listed) + "; /sessions all" +
                           (filter.empty() ? "" : " " + filter) + " shows " +
                           (listed.left_out() == 1 ? "it\n" : "them\n"));
}

void switch_session(Session& session, std::string_view name) {
  if (name.empty()) throw Error("which session? /sessions lists them");
  const store::Result<SessionRecord> found = named_session(session, name);
  if (!found && found.error().kind == store::Failure::Kind::gone && store::is_whole_key(name) &&
      session.confirm("There is no session " + std::string(name) + ". Create it?"))
    return open_with_this_model(
        session, value_or_throw(session.store().create_session(
                                    {.key = std::string(name), .cwd = session.workspace()}))
                     .session_id);
  if (const auto id = session_meant(session, name)) open_with_files(session, *id);
}

void resume_session(Session& session, std::string_view text) {
  if (!can_choose(session)) return list_sessions(session, text);
  if (const auto id = choose(session, text, false)) open_with_files(session, *id);
}

void show_history(Session& session, std::string_view count) {
  if (count == "raw") return show_raw(session, "");
  std::size_t entries = 20;
  if (count == "all")
    entries = 0;
  else if (!count.empty() &&
           std::from_chars(count.data(), count.data() + count.size(), entries).ec != std::errc{})
    throw Error("/history takes a number, `all` or `raw`");
  if (session.conversation().path().empty()) session.screen().print("nothing has been said yet\n");
  session.show_path(entries);
}

void delete_session(Session& session, std::string_view name) {
  if (name.empty()) return erase(session, session.conversation().record());
  if (const auto id = session_meant(session, name)) erase(session, session.store().open(*id));
}

void restore_session(Session& session, std::string_view name) {
  if (name.empty()) return show_trash(session);
  const SessionRecord record = value_or_throw(store::restore_for_use(session.store(), name));
  const std::string typed = store::typed_name(record, store::titles_of(session.store().list()));
  session.screen().print_untrusted("restored: " + store::shown_name(record) + "; /switch " + typed +
                                   " opens it\n");
}

void rename_session(Session& session, std::string_view title) {
  if (title.empty()) throw Error("/rename takes the new title");
  value_or_throw(session.store().mark(session.id(), model::payload::Title{std::string(title)}));
  session.conversation().reload();
  session.screen().print_untrusted("this session is now called: " + std::string(title) + "\n");
}

Choices session_keys(Session& session, std::string_view) {
  return names_from(session.store().list(), "", &SessionRecord::key);
}

Choices list_words(Session&, std::string_view start) {
  return names_from(std::array{"all", "archived", "own"}, start);
}

// All of them, whatever is typed: they are found by their titles too, which have several words.
Choices session_names(Session& session, std::string_view) {
  const std::vector<SessionRecord> all = session.store().list();
  const store::Titles titles = store::titles_of(all);
  Choices out;
  for (const SessionRecord& each : all) {
    const std::string& title = each.state.title;
    prompt::CompletionChoice& choice = out.emplace_back();
    choice.letters = each.key + " " + title;
    choice.text = store::typed_name(each, titles);
    if (choice.text != title) choice.about = (title.empty() ? "(untitled)" : title) + " · ";
    choice.about += pick::age(each.state.updated_at);
  }
  return out;
}

void import_sessions(Session& session, std::string_view path) {
  const std::string_view name = trimmed(path);
  std::vector<ImportedFile> files;
  for (const ImportSource& source : name.empty() ? offered(session) : named(name)) {
    ImportedFile file{source};
    try {
      file.sessions = importers::import_file(session.store(), source, {});
    } catch (const Error& error) {
      if (error.status() == ExitStatus::storage) throw;
      file.trouble = error.what();
    }
    files.push_back(std::move(file));
  }
  if (files.empty()) return;
  session.screen().print_untrusted(importers::report_text(files, false) +
                                   "\n/resume lists them; /switch KEY opens one\n");
}

}  // namespace skein::commands
