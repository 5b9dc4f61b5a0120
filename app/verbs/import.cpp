// skein import: sessions of other programs become sessions of ours.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>

#include "app/home.h"
#include "app/signals.h"
#include "app/verbs/output.h"
#include "app/verbs/progress.h"
#include "app/verbs/subcommands.h"
#include "core/exchange/import_report.h"
#include "core/exchange/secrets.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/text/when.h"

namespace skein::verbs {

using exchange::ImportedFile, exchange::ImportSource, exchange::importers::Format;
using exchange::importers::ForeignSession;

namespace {

std::string known_formats() {
  std::vector<std::string> names;
  for (const Format& format : exchange::importers::formats()) names.emplace_back(format.name);
  return listed(names);
}

const Format* wanted_format(const app::Invocation& invocation) {
  const std::string name = invocation.value("--from");
  if (name.empty() || name == "auto") return nullptr;
  const Format* format = exchange::importers::format_named(name);
  if (format == nullptr)
    throw Error("no format is called '" + name + "'; there are " + known_formats(),
                ExitStatus::usage);
  return format;
}

std::int64_t since_ms(const app::Invocation& invocation) {
  const std::string text = invocation.value("--since");
  if (text.empty()) return 0;
  if (const auto time = time_ms(text, now_ms())) return *time;
  throw Error("'" + text + "' is no time; say 7d, or 2026-11-01", ExitStatus::usage);
}

// What was named must be there and must be sessions; what lies in a folder beside them is not
// spoken of.
std::vector<ImportSource> named_sources(const app::Invocation& invocation,
                                        const exchange::SourceFilter& filter) {
  std::vector<ImportSource> sources;
  for (const std::string& path : invocation.arguments) {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed))
      throw Error("there is no " + path, ExitStatus::usage);
    exchange::SourceFilter any_time = filter;
    any_time.since_ms = 0;
    std::vector<ImportSource> found = exchange::sources_in(path, any_time);
    if (found.empty() && filter.format != nullptr)
      throw Error(path + " holds no session of " + std::string(filter.format->agent),
                  ExitStatus::usage);
    if (found.empty())
      throw Error(path + " holds no session that is recognized; known are " + known_formats(),
                  ExitStatus::usage);
    std::erase_if(found,
                  [&](const ImportSource& each) { return each.modified_ms < filter.since_ms; });
    sources.insert(sources.end(), found.begin(), found.end());
  }
  return sources;
}

std::string ask(const std::string& question) {
  std::fputs(question.c_str(), stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return lower(trimmed(answer));
}

// Without arguments: what other programs keep on this machine, and the user's word on it.
std::vector<ImportSource> offered_sources(const app::Invocation& invocation,
                                          const exchange::SourceFilter& filter) {
  const std::vector<ImportSource> all = exchange::usual_sources(filter);
  if (all.empty())
    throw Error(
        "no sessions of other programs were found in their usual places; name a file or a "
        "folder",
        ExitStatus::no_session);
  if (invocation.has("--all")) return all;
  Progress progress("looking into", all.size());
  const exchange::ImportOffer offer =
      exchange::offer_for(app::workspace_folder(invocation), all, [&] { progress.step(); });
  progress.end();
  if (invocation.has("--dry-run")) {
    std::vector<ImportSource> ordered = offer.here;
    ordered.insert(ordered.end(), offer.elsewhere.begin(), offer.elsewhere.end());
    return ordered;
  }
  if (!app::attended() || invocation.has("--json"))
    throw Error("found " + exchange::counted_by_agent(all) +
                    "; say --all to import them, or name files and folders",
                ExitStatus::usage);
  if (!offer.here.empty()) {
    print_line("found " + exchange::counted_by_agent(offer.here) + " about this folder");
    if (!offer.elsewhere.empty())
      print_line("and " + exchange::counted_by_agent(offer.elsewhere) + " about others");
    const std::string answer = ask("import those of this folder? [Y]es, [a]ll, [n]o › ");
    if (answer.starts_with('a')) return all;
    if (answer.empty() || answer.starts_with('y')) return offer.here;
    return {};
  }
  print_line("found " + exchange::counted_by_agent(all) + ", none of them about this folder");
  return ask("import all of them? [y]es, [N]o › ").starts_with('y') ? all
                                                                    : std::vector<ImportSource>{};
}

void check_single(const std::vector<ImportSource>& sources) {
  std::size_t sessions = 0;
  for (const ImportSource& source : sources) sessions += exchange::sessions_in(source).size();
  if (sessions != 1)
    throw Error("--key names one session, and there are " + std::to_string(sessions),
                ExitStatus::usage);
}

int undo(const app::Invocation& invocation, store::SessionStore& store,
         const std::vector<ImportSource>& sources) {
  std::set<Id> gone;
  Json keys = Json::array();
  std::string lines;
  for (const ImportSource& source : sources) {
    std::vector<std::string> ids;
    for (const ForeignSession& session : exchange::sessions_in(source)) ids.push_back(session.id);
    for (const store::SessionRecord& record : exchange::imports_of(store, *source.format, ids)) {
      if (!gone.insert(record.header.session).second) continue;
      if (!invocation.has("--dry-run")) store::value_or_throw(store.erase(record.header.session));
      keys.push_back(record.key);
      lines += record.key + "\n";
    }
  }
  print_answer(
      invocation, dump({{"deleted", std::move(keys)}}),
      lines + counted(gone.size(), "session") +
          (invocation.has("--dry-run") ? " would go to the trash" : " moved to the trash"));
  return 0;
}

}  // namespace

int import_sessions(const app::Invocation& invocation) {
  const exchange::SourceFilter filter{.format = wanted_format(invocation),
                                      .since_ms = since_ms(invocation)};
  if (invocation.has("--undo") && invocation.arguments.empty())
    throw Error("--undo takes the files or folders that were imported", ExitStatus::usage);
  const std::vector<ImportSource> sources = invocation.arguments.empty()
                                                ? offered_sources(invocation, filter)
                                                : named_sources(invocation, filter);
  store::SessionStore store = app::open_store(invocation);
  if (invocation.has("--undo")) return undo(invocation, store, sources);
  exchange::ImportOptions options{.key = invocation.value("--key"),
                                  .dry_run = invocation.has("--dry-run")};
  if (!options.key.empty()) {
    if (const auto problem = store::key_problem(options.key))
      throw Error(*problem, ExitStatus::usage);
    check_single(sources);
  }
  // A file may tell of sessions that have files of their own beside it.
  std::set<std::string> given;
  const ImportSource* at = nullptr;
  options.wanted = [&](const ForeignSession& session) {
    // A database is as new as the newest session in it.
    if (const auto updated = ms_from_utc(session.updated_at); updated && *updated < filter.since_ms)
      return false;
    return given.insert(std::string(at->format->name) + ":" + session.id).second;
  };
  exchange::SecretMask mask;
  if (invocation.has("--redact-secrets")) options.mask = &mask;
  std::uint64_t bytes = 0;
  for (const ImportSource& source : sources) bytes += source.bytes;
  Progress progress("importing", bytes, Progress::Unit::bytes);
  std::vector<ImportedFile> files;
  bool failed = false;
  for (const ImportSource& source : sources) {
    ImportedFile file{source};
    at = &source;
    try {
      file.sessions = exchange::import_file(store, source, options);
    } catch (const Error& error) {
      if (error.status() != ExitStatus::turn && sources.size() == 1) throw;
      if (error.status() == ExitStatus::storage) throw;
      file.trouble = error.what();
      failed = true;
    }
    files.push_back(std::move(file));
    progress.step(source.bytes);
  }
  progress.end();
  print_answer(invocation, report_json(files), report_text(files, options.dry_run));
  if (const std::string masked = exchange::counts_by_kind(mask.found()); !masked.empty())
    std::fprintf(stderr, "skein: masked %s\n", masked.c_str());
  return failed ? static_cast<int>(ExitStatus::turn) : 0;
}

}  // namespace skein::verbs
