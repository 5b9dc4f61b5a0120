#include "repl/screen/markdown/languages.h"

#include <algorithm>
#include <string>

namespace skein::screen::markdown {

namespace {

constexpr Language table[] = {
    {.names = "c cc cpp c++ cxx h hpp objc cuda",
     .line_comment = "//",
     .block_open = "/*",
     .block_close = "*/",
     .quotes = "\"'",
     .keywords =
         "alignas auto bool break case catch char char32_t class co_await co_return co_yield "
         "concept "
         "const consteval constexpr constinit continue decltype default delete do double else enum "
         "explicit export extern false final float for friend goto if inline int long mutable "
         "namespace new noexcept nullptr operator override private protected public register "
         "requires return short signed size_t sizeof static static_assert static_cast struct "
         "switch "
         "template this throw true try typedef typename union unsigned using virtual void volatile "
         "while",
     .directives = true},
    {.names = "python py python3 pycon",
     .line_comment = "#",
     .quotes = "\"'",
     .long_quotes = "\"\"\" '''",
     .keywords = "False None True and as assert async await break case class continue def del elif "
                 "else except finally for from global if import in is lambda match nonlocal not or "
                 "pass raise return self try while with yield"},
    {.names = "javascript js jsx mjs typescript ts tsx",
     .line_comment = "//",
     .block_open = "/*",
     .block_close = "*/",
     .quotes = "\"'",
     .long_quotes = "`",
     .keywords =
         "abstract any as async await boolean break case catch class const continue debugger "
         "declare "
         "default delete do else enum export extends false finally for from function get if "
         "implements import in instanceof interface let new null number of private protected "
         "public "
         "readonly return set static string super switch this throw true try type typeof undefined "
         "var void while yield"},
    {.names = "rust rs",
     .line_comment = "//",
     .block_open = "/*",
     .block_close = "*/",
     .quotes = "\"",
     .keywords =
         "Err None Ok Self Some as async await bool break const continue crate dyn else enum "
         "extern f32 f64 false fn for i32 i64 if impl in let loop match mod move mut pub ref "
         "return self static str struct super trait true type u32 u64 u8 unsafe use usize "
         "where while"},
    {.names = "go golang",
     .line_comment = "//",
     .block_open = "/*",
     .block_close = "*/",
     .quotes = "\"'",
     .long_quotes = "`",
     .keywords =
         "any bool break byte case chan const continue default defer else error fallthrough "
         "false float64 for func go goto if import int int64 interface map nil package range "
         "return rune select string struct switch true type var"},
    {.names = "java kotlin kt csharp cs c# scala swift dart",
     .line_comment = "//",
     .block_open = "/*",
     .block_close = "*/",
     .quotes = "\"'",
     .long_quotes = "\"\"\"",
     .keywords =
         "abstract as async await boolean break case catch char class const continue default do "
         "double else enum extends extension false final finally float for foreach fun func guard "
         "if "
         "implements import in int interface internal is let long namespace new null object open "
         "override package private protected public readonly record return sealed static string "
         "struct super switch this throw throws true try typealias using val var virtual void when "
         "where while with"},
    {.names = "sh bash shell zsh console fish dockerfile docker make makefile",
     .line_comment = "#",
     .quotes = "\"'",
     .keywords =
         "ADD CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN WORKDIR case cd do done echo elif else "
         "esac eval exec exit export fi for function if in local printf return set shift "
         "source then trap unset until while"},
    {.names = "cmake",
     .line_comment = "#",
     .quotes = "\"",
     .keywords =
         "add_executable add_library add_subdirectory add_test else elseif endforeach "
         "endfunction endif find_package foreach function if include install message option "
         "project set target_compile_options target_include_directories "
         "target_link_libraries",
     .any_case = true},
    {.names = "ruby rb elixir ex",
     .line_comment = "#",
     .quotes = "\"'",
     .keywords =
         "alias and begin break case class def defmodule do else elsif end ensure false for "
         "if in module next nil not or private raise redo rescue require retry return self "
         "super then true undef unless until when while yield"},
    {.names = "lua",
     .line_comment = "--",
     .block_open = "--[[",
     .block_close = "]]",
     .quotes = "\"'",
     .keywords =
         "and break do else elseif end false for function goto if in local nil not or repeat "
         "return then true until while"},
    {.names = "sql mysql postgres postgresql sqlite plsql",
     .line_comment = "--",
     .block_open = "/*",
     .block_close = "*/",
     .quotes = "'\"",
     .keywords = "add all alter and as asc begin between by case check column commit constraint "
                 "create cross default delete desc distinct drop else end exists foreign from full "
                 "group having if in index inner insert into is join key left like limit not null "
                 "offset on or order outer primary references returning right rollback select set "
                 "table then transaction union unique update values view when where with",
     .any_case = true},
    {.names = "json jsonc json5 jsonl",
     .line_comment = "//",
     .quotes = "\"",
     .keywords = "false null true"},
    {.names = "yaml yml toml ini conf properties",
     .line_comment = "#",
     .quotes = "\"'",
     .keywords = "false no null off on true yes",
     .keys = true},
    {.names = "html xml svg vue xhtml",
     .block_open = "<!--",
     .block_close = "-->",
     .quotes = "\"",
     .tags = true},
    {.names = "css scss less",
     .block_open = "/*",
     .block_close = "*/",
     .quotes = "\"'",
     .keywords = "absolute auto block bold center fixed flex grid hidden important inherit inline "
                 "none relative solid",
     .keys = true},
};

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

const Language* find_language(std::string_view name) {
  std::string lower(name);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto found = std::ranges::find_if(
      table, [&](const Language& each) { return has_word(each.names, lower); });
  return found == std::end(table) ? nullptr : &*found;
}

}  // namespace skein::screen::markdown
