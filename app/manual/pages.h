// The manual pages, made from the tables that the program itself works with.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skein::manual {

struct Page {
  std::string_view name;
  int section;
  std::string (*roff)();
};
std::span<const Page> pages();

std::string skein_page();          // skein(1)
std::string configuration_page();  // skein.toml(5)
std::string format_page();         // skein-format(5)

// Of the pages: today, or what SOURCE_DATE_EPOCH says; "2026-11-16".
std::string page_date();

// core/store/FORMAT.md, put into the program by format.cmake.
extern const std::string_view format_document;

}  // namespace skein::manual
