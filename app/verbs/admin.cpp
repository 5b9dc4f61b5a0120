// skein admin init-db: a database made ready for sessions. Never done by itself: whose database it
// is should know.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "app/home.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/store/postgres/schema.h"
#include "core/text/json.h"
#include "repl/layout/sanitize.h"

namespace skein::verbs {

namespace postgres = store::postgres;

namespace {

bool agrees(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0)
    throw Error("there is no terminal to ask; --yes does it unasked", ExitStatus::usage);
  std::fputs(layout::sanitized(question + " [y/N] › ").c_str(), stdout);
  std::fflush(stdout);
  std::string answer;
  for (int c = 0; (c = std::getchar()) != EOF && c != '\n';) answer += static_cast<char>(c);
  return answer == "y" || answer == "yes";
}

}  // namespace

int explain_admin(const app::Invocation&) {
  throw Error("say what: `skein admin init-db --home postgresql://USER@HOST/DATABASE`",
              ExitStatus::usage);
}

int init_database(const app::Invocation& invocation) {
  if (!app::home_in_database(invocation))
    throw Error("say which database: --home postgresql://USER@HOST/DATABASE", ExitStatus::usage);
  const std::string shown = app::home_shown(invocation);
  if (!invocation.has("--yes") &&
      !agrees("Make the schema skein, or upgrade it, in " + shown +
              ", where every user of the database can keep sessions of their own?"))
    return static_cast<int>(ExitStatus::turn);
  const postgres::Prepared prepared = value_or_throw(postgres::prepare_database(invocation.home));
  const bool now = prepared == postgres::Prepared::now,
             upgraded = prepared == postgres::Prepared::upgraded;
  print_answer(invocation, dump({{"home", shown}, {"made", now}, {"upgraded", upgraded}}),
               shown + (now        ? " is ready for sessions"
                        : upgraded ? " was upgraded; older skeins cannot use it any more"
                                   : " was ready before; nothing was changed"));
  return 0;
}

}  // namespace skein::verbs
