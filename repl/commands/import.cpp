// /import: sessions of other programs become sessions of ours.
#include <string>
#include <vector>

#include "core/exchange/import_report.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

using exchange::ImportedFile, exchange::ImportSource;

namespace {

// What other programs keep about this folder, if the user wants it.
std::vector<ImportSource> offered(Session& session) {
  const std::vector<ImportSource> all = exchange::usual_sources({});
  const exchange::ImportOffer offer = exchange::offer_for(session.workspace(), all);
  if (!offer.elsewhere.empty())
    session.screen().print_untrusted("there are " + exchange::counted_by_agent(offer.elsewhere) +
                                     " about other folders; `skein import --all` brings them in\n");
  if (offer.here.empty())
    throw Error("no session of another program is about this folder; name a file or a folder");
  if (!session.confirm("import " + exchange::counted_by_agent(offer.here) + "?")) return {};
  return offer.here;
}

std::vector<ImportSource> named(const std::string& path) {
  std::vector<ImportSource> sources = exchange::sources_in(path, {});
  if (sources.empty()) throw Error(path + " holds no session that is recognized");
  return sources;
}

// A path as people type it at a prompt.
std::string expanded(std::string_view path) {
  std::string out = with_user_home(path);
  if (out.empty() && !path.empty()) throw Error("HOME is not set to an absolute path");
  return out;
}

}  // namespace

void import_sessions(Session& session, std::string_view path) {
  const std::string name = expanded(trimmed(path));
  std::vector<ImportedFile> files;
  for (const ImportSource& source : name.empty() ? offered(session) : named(name)) {
    ImportedFile file{source};
    try {
      file.sessions = exchange::import_file(session.store(), source, {});
    } catch (const Error& error) {
      if (error.status() == ExitStatus::storage) throw;
      file.trouble = error.what();
    }
    files.push_back(std::move(file));
  }
  if (files.empty()) return;
  session.screen().print_untrusted(exchange::report_text(files, false) +
                                   "\n/resume lists them; /switch KEY opens one\n");
}

}  // namespace skein::commands
