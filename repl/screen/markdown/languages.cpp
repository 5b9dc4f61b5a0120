#include "repl/screen/markdown/languages.h"

#include <algorithm>
#include <string>

#include "core/text/text.h"

namespace skein::screen::markdown {

namespace {

constexpr Comments c_style{"//", "/*", "*/"}, hash{"#"};

constexpr Language table[] = {
    {"c cc cpp c++ cxx h hpp objc cuda", c_style, "\"'", "",
     "alignas auto bool break case catch char char32_t class co_await co_return co_yield concept "
     "const consteval constexpr constinit continue decltype default delete do double else enum "
     "explicit export extern false final float for friend goto if inline int long mutable "
     "namespace new noexcept nullptr operator override private protected public register "
     "requires return short signed size_t sizeof static static_assert static_cast struct switch "
     "template this throw true try typedef typename union unsigned using virtual void volatile "
     "while",
     Language::directives},
    {"python py python3 pycon", hash, "\"'", "\"\"\" '''",
     "False None True and as assert async await break case class continue def del elif else "
     "except finally for from global if import in is lambda match nonlocal not or pass raise "
     "return self try while with yield"},
    {"javascript js jsx mjs typescript ts tsx", c_style, "\"'", "`",
     "abstract any as async await boolean break case catch class const continue debugger declare "
     "default delete do else enum export extends false finally for from function get if "
     "implements import in instanceof interface let new null number of private protected public "
     "readonly return set static string super switch this throw true try type typeof undefined "
     "var void while yield"},
    {"rust rs", c_style, "\"", "",
     "Err None Ok Self Some as async await bool break const continue crate dyn else enum extern "
     "f32 f64 false fn for i32 i64 if impl in let loop match mod move mut pub ref return self "
     "static str struct super trait true type u32 u64 u8 unsafe use usize where while"},
    {"go golang", c_style, "\"'", "`",
     "any bool break byte case chan const continue default defer else error fallthrough false "
     "float64 for func go goto if import int int64 interface map nil package range return rune "
     "select string struct switch true type var"},
    {"java kotlin kt csharp cs c# scala swift dart", c_style, "\"'", "\"\"\"",
     "abstract as async await boolean break case catch char class const continue default do "
     "double else enum extends extension false final finally float for foreach fun func guard if "
     "implements import in int interface internal is let long namespace new null object open "
     "override package private protected public readonly record return sealed static string "
     "struct super switch this throw throws true try typealias using val var virtual void when "
     "where while with"},
    {"sh bash shell zsh console fish dockerfile docker make makefile", hash, "\"'", "",
     "ADD CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN WORKDIR case cd do done echo elif else esac "
     "eval exec exit export fi for function if in local printf return set shift source then trap "
     "unset until while"},
    {"cmake", hash, "\"", "",
     "add_executable add_library add_subdirectory add_test else elseif endforeach endfunction "
     "endif find_package foreach function if include install message option project set "
     "target_compile_options target_include_directories target_link_libraries",
     Language::any_case},
    {"ruby rb elixir ex", hash, "\"'", "",
     "alias and begin break case class def defmodule do else elsif end ensure false for if in "
     "module next nil not or private raise redo rescue require retry return self super then true "
     "undef unless until when while yield"},
    {"lua",
     {"--", "--[[", "]]"},
     "\"'",
     "",
     "and break do else elseif end false for function goto if in local nil not or repeat return "
     "then true until while"},
    {"sql mysql postgres postgresql sqlite plsql",
     {"--", "/*", "*/"},
     "'\"",
     "",
     "add all alter and as asc begin between by case check column commit constraint create cross "
     "default delete desc distinct drop else end exists foreign from full group having if in "
     "index inner insert into is join key left like limit not null offset on or order outer "
     "primary references returning right rollback select set table then transaction union unique "
     "update values view when where with",
     Language::any_case},
    {"json jsonc json5 jsonl", {"//"}, "\"", "", "false null true"},
    {"yaml yml toml ini conf properties", hash, "\"'", "", "false no null off on true yes",
     Language::keys},
    {"html xml svg vue xhtml", {"", "<!--", "-->"}, "\"", "", "", Language::tags},
    {"css scss less",
     {"", "/*", "*/"},
     "\"'",
     "",
     "absolute auto block bold center fixed flex grid hidden important inherit inline none "
     "relative solid",
     Language::keys},
};

}  // namespace

const Language* find_language(std::string_view name) {
  const std::string small = lower(name);
  const auto found = std::ranges::find_if(
      table, [&](const Language& each) { return has_word(each.names, small); });
  return found == std::end(table) ? nullptr : &*found;
}

}  // namespace skein::screen::markdown
