// The text of a PDF, by the program pdftotext in a sandbox without a network: a PDF from the web is
// a program of sorts, and readers of it have been taken over before.
#pragma once

#include <optional>
#include <string_view>

#include "core/tools/sandbox/sandbox.h"
#include "core/web/page.h"

namespace skein::tools {

// Left out: the best sandbox this machine has. Without any, no PDF is read.
web::ReadPdf pdf_reader(std::optional<sandbox::Sandbox> sandbox);

}  // namespace skein::tools
