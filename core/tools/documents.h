// Files that a model reads as text although they are something else: PDF documents and notebooks.
#pragma once

#include "core/text/std.h"

#include "core/sandbox/sandbox.h"
#include "core/web/page.h"

namespace skein::tools {

// By pdftotext in a sandbox without a network: PDF readers have been exploited. Left out: the best
// sandbox this machine has. Without any, no PDF is read.
web::ReadPdf pdf_reader(std::optional<sandbox::Sandbox> sandbox);

// Of what is_document() is true for: the pages of a PDF or the cells of a notebook, each under a
// line with its number. Throws Error if it has none.
std::string document_text(std::string_view bytes, const web::Stopped& stopped);

}  // namespace skein::tools
