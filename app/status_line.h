// What the status line above the prompt is made from.
#pragma once

#include "app/application.h"
#include "repl/prompt/line_editor.h"
#include "repl/session/session.h"
#include "repl/status/status_line.h"

namespace skein::app {

status::StatusLine::Parts status_parts(const Application& application, session::Session& session,
                                       screen::Screen& screen);
// For the editor, which draws it; `line` must outlive it.
prompt::RowsAbove rows_above(status::StatusLine& line);

}  // namespace skein::app
