// skein share: a page without secrets, as a file or for one browser of this machine.
#include <charconv>
#include <cstdio>
#include <optional>

#include "app/home.h"
#include "app/page_server.h"
#include "app/shared_session.h"
#include "app/signals.h"
#include "app/verbs/exported.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/exchange/output_file.h"
#include "core/store/session_name.h"
#include "core/text/amounts.h"

namespace skein::verbs {

using exchange::ExportRequest;
using exchange::OutputFile;
using exchange::SecretMask;
using exchange::exporters::ExportedSession;

namespace {

// Before anything is given away: what was taken out of it, and where it was.
void show_masked(const SecretMask& mask) {
  if (mask.found().empty())
    return print_line("no secret was found; look through the page before you give it away");
  print_line("masked " + counted(mask.found().size(), "secret") + ":");
  for (const exchange::FoundSecret& each : mask.found())
    print_line("  ‹secret " + std::to_string(each.number) + "›  " + each.kind + "  " + each.shown +
               "  in " + each.place +
               (each.times > 1 ? ", " + std::to_string(each.times) + " times" : ""));
  print_line("what looks like no secret stays; look through the page before you give it away");
}

std::uint16_t port_of(const app::Invocation& invocation) {
  const std::string given = invocation.value("--port");
  if (given.empty()) return 0;
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(given.data(), given.data() + given.size(), port);
  if (failed != std::errc{} || end != given.data() + given.size() || port == 0)
    throw Error("--port takes a number from 1 to 65535, not '" + given + "'", ExitStatus::usage);
  return port;
}

// Changes whenever something that is shown may have changed.
std::string version_of(const store::SessionRecord& record) {
  return std::to_string(record.bytes) + " " + std::to_string(record.state.redacted.size()) + " " +
         (record.state.head ? to_string(*record.state.head) : "");
}

int serve(const app::Invocation& invocation, store::SessionStore& store,
          const ExportRequest& request, SecretMask& mask) {
  const store::SessionRecord record = store::value_or_throw(store.find(invocation.arguments.at(0)));
  app::SharedSession shared(
      [&] { return session_to_export(invocation, store, request, &mask); },
      [&] {
        return version_of(store::still_there(store.open(record.header.session), record.key));
      });
  show_masked(mask);
  app::PageServer server(shared, port_of(invocation));
  app::catch_signals();
  print_line("for one browser of this machine: " + server.address());
  print_line("^C ends it");
  std::fflush(stdout);
  server.run([] { return app::stop_asked().load(); });
  return 0;
}

}  // namespace

int share_session(const app::Invocation& invocation) {
  ExportRequest request = export_request(invocation);
  request.format = exchange::exporters::format_named("html");
  if (invocation.has("--port") && !invocation.has("--serve"))
    throw Error("--port goes with --serve", ExitStatus::usage);
  store::SessionStore store = app::open_store(invocation);
  SecretMask mask;
  if (invocation.has("--serve")) return serve(invocation, store, request, mask);
  const ExportedSession session = session_to_export(invocation, store, request, &mask);
  show_masked(mask);
  const bool named = !request.file.empty();
  const std::string path =
      named ? request.file : exchange::file_name_for(session.key, *request.format);
  OutputFile file(path, named ? OutputFile::Existing::replace : OutputFile::Existing::keep);
  request.format->write(session, [&](std::string_view piece) { file.write(piece); });
  file.finish();
  print_line("wrote " + path + " (" + with_separators(file.bytes()) + " bytes)");
  return 0;
}

}  // namespace skein::verbs
