// The guide: its pages with the tables of the program, help about subcommands, and manual pages.
#pragma once

#include "app/invocation/cli.h"

namespace skein::manual {

// app/manual/files.md is "files", core/store/FORMAT.md "format". Put into the program by
// embed.cmake.
struct Page {
  std::string_view name, text;
  std::string_view title() const;
};
std::span<const Page> pages();
const Page* find_page(std::string_view name);  // null: there is none

// What opens another page: `skein help models`, or skein-models for man.
enum class LinkForm { terminal, man };
// The Markdown of a page. Tables of options, commands and keys are where its comments ask for them.
std::string markdown(const Page& page, LinkForm links);
// Markdown with each paragraph and each item on one line, so that it can be broken for any width.
std::string flowing(std::string_view document);

// Usage, options, examples and exit codes of a subcommand; `width` 0: unlimited.
std::string command_help(const app::Subcommand& row, std::size_t width);
// The commands in groups and the topics; with the options of skein itself if they are wanted.
std::string overview(bool with_options, std::size_t width);
std::string tag_of(const app::OptionRow& row);  // "-s, --session KEY"

// The name of a page for man: "skein", "skein.toml", "skein-files".
std::string man_name(const Page& page);
std::string man_page(const Page& page);  // as man(7) wants it

}  // namespace skein::manual
