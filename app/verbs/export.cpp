// skein export: a session in one of the formats of core/exchange/exporters.
#include <unistd.h>

#include <cstdio>

#include "app/home.h"
#include "app/load_config.h"
#include "app/verbs/exported.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/exchange/output_file.h"
#include "core/model/stats.h"
#include "core/text/amounts.h"
#include "repl/layout/sanitize.h"

namespace skein::verbs {

using exchange::ExportRequest;
using exchange::OutputFile;
using exchange::exporters::ExportedSession;
using store::value_or_throw;

namespace {

void write_to_output(const ExportRequest& request, const ExportedSession& session) {
  const bool seen = ::isatty(STDOUT_FILENO) != 0;
  request.format->write(session, [&](std::string_view piece) {
    const std::string shown = seen ? layout::sanitized(piece) : std::string{};
    const std::string_view out = seen ? std::string_view(shown) : piece;
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size())
      throw Error("the output could not be written", ExitStatus::storage);
  });
}

void write_to_file(const ExportRequest& request, const ExportedSession& session,
                   const std::string& path, OutputFile::Existing existing) {
  OutputFile file(path, existing);
  request.format->write(session, [&](std::string_view piece) { file.write(piece); });
  file.finish();
  tell_user("wrote " + path + " (" + with_separators(file.bytes()) + " bytes)");
}

}  // namespace

ExportRequest export_request(const app::Invocation& invocation) {
  ExportRequest request{.file = invocation.value("--output"),
                        .branch = invocation.value("--branch"),
                        .all_branches = invocation.has("--all-branches"),
                        .redact_secrets = invocation.has("--redact-secrets"),
                        .show = {.tools = !invocation.has("--no-tools"),
                                 .thinking = !invocation.has("--no-thinking")}};
  settle(request, invocation.value("--format"));
  return request;
}

ExportedSession session_to_export(const app::Invocation& invocation, store::SessionStore& store,
                                  const ExportRequest& request, exchange::SecretMask* mask) {
  const Id id = value_or_throw(store.find(invocation.arguments.at(0))).header.session;
  const store::SessionRecord record = value_or_throw(store.open(id));
  exchange::Selection selection{.all_branches = request.all_branches};
  if (!request.branch.empty())
    selection.branch = value_or_throw(store.find_entry(id, request.branch));
  ExportedSession session = exchange::exported_session(store, record, selection, mask);
  const auto cost = app::configured_catalog(invocation)->cost(record.state.usage);
  session.usage = model::stats_line(
      record.state, cost ? std::optional(cost->dollars) : std::nullopt, cost && cost->at_least);
  return exchange::exporters::with_options(std::move(session), request.show);
}

int export_session(const app::Invocation& invocation) {
  const ExportRequest request = export_request(invocation);
  store::SessionStore store = app::open_store(invocation);
  exchange::SecretMask mask;
  const ExportedSession session =
      session_to_export(invocation, store, request, request.redact_secrets ? &mask : nullptr);
  if (request.redact_secrets)
    tell_user(mask.found().empty() ? "no secret was found"
                                   : "masked " + counted(mask.found().size(), "secret") + ": " +
                                         exchange::counts_by_kind(mask.found()));
  const bool page_to_terminal =
      request.format->name == "html" && request.file.empty() && ::isatty(STDOUT_FILENO) != 0;
  if (page_to_terminal)
    write_to_file(request, session, exchange::file_name_for(session.key, *request.format),
                  OutputFile::Existing::keep);
  else if (request.file.empty() || request.file == "-")
    write_to_output(request, session);
  else
    write_to_file(request, session, request.file, OutputFile::Existing::replace);
  return 0;
}

}  // namespace skein::verbs
