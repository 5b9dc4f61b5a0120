// The commands of a shell that decide what the words of later ones mean: where they run, and what
// their variables are.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/shell/walk.h"

namespace skein::shell {

using ShellWords = std::span<const ShellCall::Word>;

// The only text that a word can be; empty: there is none, or more than one.
std::string_view text_of(const ShellCall::Word& word);
bool is_assignment(std::string_view word);  // NAME=value
// Whether one of `options` is this word, or the last of several letters behind one dash: -ec.
bool is_option(std::string_view options, std::string_view word);
// "--chdir" and its value, which is the next word or behind a `=`; an empty word: there is none.
std::pair<std::string_view, ShellCall::Word> option_in(ShellWords words);
// The words with those left open that find and xargs fill in.
std::vector<ShellCall::Word> filled_in(ShellWords words);

// cd. It may fail, so what runs after it may also run where it ran before.
void change_folder(ShellWords arguments, ShellScope& scope);
// export, local and so on.
void set_variables(ShellWords arguments, ShellScope& scope);
// read, unset and so on: the values are not known beforehand.
void forget_variables(ShellWords arguments, ShellScope& scope);
void forget_arguments(ShellScope& scope);  // set, shift; $1 to $9
// What dirname and echo print.
Values parent_folders(ShellWords arguments);
Values words_printed(ShellWords arguments);

}  // namespace skein::shell
