// skein export and share: a session as a document, and as a page without secrets, in a file or for
// one browser of this machine.
#include <unistd.h>

#include "app/invocation/signals.h"
#include "app/page_server.h"
#include "app/setup/home.h"
#include "app/setup/load_config.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/export/export_request.h"
#include "core/export/secrets.h"
#include "core/export/session_source.h"
#include "core/model/state.h"
#include "core/store/session_name.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/layout/sanitize.h"

namespace skein::verbs {

using exporters::ExportedSession, exporters::ExportRequest;
using exporters::SecretMask, store::value_or_throw;

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

ExportRequest export_request(const Invocation& invocation) {
  ExportRequest request{.file = invocation.value("--output"),
                        .branch = invocation.value("--branch"),
                        .all_branches = invocation.has("--all-branches"),
                        .redact_secrets = invocation.has("--redact-secrets"),
                        .show = {.tools = !invocation.has("--no-tools"),
                                 .thinking = !invocation.has("--no-thinking")}};
  settle(request, invocation.value("--format"));
  return request;
}

ExportedSession session_to_export(const Invocation& invocation, store::SessionStore& store,
                                  const ExportRequest& request, exporters::SecretMask* mask) {
  const Id id = value_or_throw(store.find(invocation.arguments.at(0))).header.session;
  const store::SessionRecord record = store.open(id);
  exporters::Selection selection{.all_branches = request.all_branches};
  if (!request.branch.empty())
    selection.branch = value_or_throw(store.find_entry(id, request.branch));
  ExportedSession session = exporters::exported_session(store, record, selection, mask);
  session.usage = model::stats_line(record.state,
                                    app::configured_catalog(invocation)->cost(record.state.usage));
  return exporters::with_options(std::move(session), request.show);
}

// Before anything is given away: what was taken out of it, and where it was.
void show_masked(const SecretMask& mask) {
  if (mask.found().empty())
    return print_line("no secret was found; check the page before you share it");
  print_line("masked " + counted(mask.found().size(), "secret") + ":");
  for (const exporters::FoundSecret& each : mask.found())
    print_line("  ‹secret " + std::to_string(each.number) + "›  " + each.kind + "  " + each.shown +
               "  in " + each.place +
               (each.times > 1 ? ", " + std::to_string(each.times) + " times" : ""));
  print_line("skein may have missed some; check the page before you share it");
}

std::uint16_t port_of(const Invocation& invocation) {
  const std::string given = invocation.value("--port");
  if (given.empty()) return 0;
  const std::optional<std::size_t> port = commands::number_in(given, 65'535);
  if (!port) throw UsageError("--port takes a number from 1 to 65535, not '" + given + "'");
  return static_cast<std::uint16_t>(*port);
}

// Changes whenever something that is shown may have changed.
std::string version_of(const store::SessionRecord& record) {
  return std::to_string(record.bytes) + " " + std::to_string(record.state.redacted.size()) + " " +
         (record.state.head ? to_string(*record.state.head) : "");
}

void serve(const Invocation& invocation, store::SessionStore& store, const ExportRequest& request,
           SecretMask& mask) {
  const store::SessionRecord record = store::value_or_throw(store.find(invocation.arguments.at(0)));
  app::SharedSession shared([&] { return session_to_export(invocation, store, request, &mask); },
                            [&] {
                              return version_of(store::still_there(
                                  store.sessions().open(record.header.session), record.key));
                            });
  show_masked(mask);
  app::PageServer server(shared, port_of(invocation));
  app::catch_signals();
  print_line("open in one browser on this machine: " + server.address());
  print_line("Ctrl+C stops it");
  std::fflush(stdout);
  server.run([] { return app::stop_asked().load(); });
}

}  // namespace

void export_session(const Invocation& invocation) {
  const ExportRequest request = export_request(invocation);
  store::SessionStore store = app::open_store(invocation);
  exporters::SecretMask mask;
  const ExportedSession session =
      session_to_export(invocation, store, request, request.redact_secrets ? &mask : nullptr);
  if (request.redact_secrets) tell_user(exporters::masked_report(mask.found()));
  const bool page_to_terminal = request.format->name == "html" && ::isatty(STDOUT_FILENO) != 0;
  if (request.file == "-" || (request.file.empty() && !page_to_terminal))
    write_to_output(request, session);
  else
    tell_user(write_to_file(request, session));
}

void share_session(const Invocation& invocation) {
  ExportRequest request = export_request(invocation);
  request.format = exporters::format_named("html");
  if (invocation.has("--port") && !invocation.has("--serve"))
    throw UsageError("--port needs --serve");
  store::SessionStore store = app::open_store(invocation);
  SecretMask mask;
  if (invocation.has("--serve")) return serve(invocation, store, request, mask);
  const ExportedSession session = session_to_export(invocation, store, request, &mask);
  show_masked(mask);
  print_line(write_to_file(request, session));
}

}  // namespace skein::verbs
