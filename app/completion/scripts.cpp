#include "app/completion/scripts.h"

namespace skein::completion {

namespace {

// COMP_LINE is there whenever bash itself calls; the words alone are for those who call the
// function to try it. Nothing of bash-completion is needed.
constexpr std::string_view bash =
    R"script(# Completion of skein for bash:  source <(skein completion bash)
_skein() {
  local line=${COMP_LINE-} candidate word= before=
  if [[ -n $line ]]; then
    line=${line:0:${COMP_POINT:-${#line}}}
  else
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
      case $before$word in
        *[:=]) line+=$word ;;
        [:=]*) line+=$word ;;
        *) line+=${line:+ }$word ;;
      esac
      case $word in : | =) before=$word ;; *) before= ;; esac
    done
  fi
  COMPREPLY=()
  while IFS= read -r candidate; do
    case $candidate in
      $'\tfiles') compopt -o default 2> /dev/null ;;
      $'\tfolders') compopt -o dirnames 2> /dev/null ;;
      *) COMPREPLY+=("${candidate%%$'\t'*}") ;;
    esac
  done < <(command skein __complete --bash "${COMP_TYPE:-9}" "${COLUMNS:-80}" \
    "${2-${COMP_WORDS[COMP_CWORD]}}" "$line" 2> /dev/null < /dev/null)
}
complete -o nosort -F _skein skein 2> /dev/null || complete -F _skein skein
)script";

constexpr std::string_view zsh = R"script(#compdef skein
# Completion of skein for zsh: put it into a folder of $fpath as _skein, or
#   source <(skein completion zsh)     after compinit
_skein() {
  local line name
  local -a lines found
  lines=("${(@f)$(command skein __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" \
    2> /dev/null < /dev/null)}")
  for line in $lines; do
    name=${line%%$'\t'*}
    if [[ $line == $'\tfiles' ]]; then
      compset -P '--*='
      _files
    elif [[ $line == $'\tfolders' ]]; then
      compset -P '--*='
      _files -/
    else
      found+=("${name//:/\\:}${${line#*$'\t'}:+:${line#*$'\t'}}")
    fi
  done
  (( $#found )) && _describe -V skein found
}
if [[ $funcstack[1] == _skein ]]; then
  _skein "$@"
else
  compdef _skein skein
fi
)script";

constexpr std::string_view fish =
    R"script(# Completion of skein for fish:  skein completion fish | source
function __skein_complete
    set -l current (commandline -ct)
    set -l typed (string unescape -- $current)
    or set typed (string trim -l -c '"\'' -- $current)
    set -l words (commandline -opc)
    for line in (command skein __complete -- $words[2..-1] "$typed" 2>/dev/null </dev/null)
        switch $line
            case \tfiles
                __fish_complete_path $typed
            case \tfolders
                __fish_complete_directories $typed
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c skein -f -k -a '(__skein_complete)'
)script";

constexpr ShellScript scripts[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

}  // namespace

std::span<const ShellScript> shell_scripts() { return scripts; }

}  // namespace skein::completion
