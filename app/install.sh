#!/bin/sh
# Installs skein from its archive, or removes it again.
#
#   sh install.sh [--prefix DIR] [ARCHIVE]        installs into DIR (default: ~/.local)
#   sh install.sh [--prefix DIR] --uninstall      removes what it installed there
#
# ARCHIVE is skein-VERSION-linux-ARCH.tar.xz (default: the one next to this script). sha256sums.txt next
# to it must have its checksum. Nothing is downloaded, and no file of your shell is changed.
set -eu
fail() { echo "install.sh: $1" >&2; exit 1; }
usage() { sed -n 's/^#   sh /  sh /p' "$0" >&2; exit 2; }

# What an earlier run has put there: its files, then the folders that are empty without them.
remove() {
  while IFS= read -r file; do rm -f "$prefix/$file"; done < "$list"
  folders=$(sed 's#/[^/]*$##' "$list" | sort -ru)
  rm -f "$list"
  echo "$folders" | (cd "$prefix" && while IFS= read -r folder; do rmdir -p "$folder" 2> /dev/null || true; done)
}

check() {
  sums=$(dirname "$archive")/sha256sums.txt
  [ -f "$archive" ] && [ -f "$sums" ] || fail "$archive and $sums must be there; nothing was installed"
  wanted=$(awk -v name="$(basename "$archive")" '$2 == name || $2 == "*" name { print $1 }' "$sums")
  [ -n "$wanted" ] && [ "$(sha256sum < "$archive" | cut -d' ' -f1)" = "$wanted" ] ||
    fail "the checksum of $archive is not the one in $sums; nothing was installed"
}
main() {
  here=$(cd "$(dirname "$0")" && pwd)
  prefix=${HOME:+$HOME/.local} archive= uninstall=
  while [ $# -gt 0 ]; do
    case $1 in
      --prefix) [ -n "${2:-}" ] || usage; prefix=$2; shift ;;
      --prefix=?*) prefix=${1#*=} ;;
      --uninstall) uninstall=1 ;;
      -*) usage ;;
      *) [ -z "$archive" ] || usage; archive=$1 ;;
    esac
    shift
  done
  [ -n "$prefix" ] || fail "HOME is not set; give --prefix DIR"
  case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
  list=$prefix/lib/skein/installed-files
  if [ -n "$uninstall" ]; then
    [ -f "$list" ] || fail "there is no skein in $prefix that this script has installed"
    remove
    echo "removed skein from $prefix; your sessions and settings are still there"
    return
  fi
  if [ -z "$archive" ] && [ ! -x "$here/bin/skein" ]; then
    for archive in "$here"/skein-*-linux-"$(uname -m)".tar.xz; do continue; done
  fi
  [ -z "$archive" ] || check
  # First beside the place, so that an archive that does not work here changes nothing.
  mkdir -p "$prefix"
  new=$(mktemp -d "$prefix/.skein-XXXXXX")
  trap 'rm -rf "$new"' EXIT
  if [ -n "$archive" ]; then
    tar -xf "$archive" -C "$new" --strip-components=1 --no-same-owner ||
      fail "the archive cannot be unpacked; is xz installed (package xz-utils)?"
  else
    cp -R "$here/." "$new"
  fi
  "$new/bin/skein" --version > /dev/null || fail "it does not run here: it needs glibc 2.36 and this kind of processor"
  mv "$new/LICENSES" "$new/share/doc/skein/"
  (cd "$new" && find bin lib share -type f | sort) > "$new/installed-files"
  [ ! -f "$list" ] || remove
  while IFS= read -r file; do
    mkdir -p "$prefix/$(dirname "$file")"
    mv -f "$new/$file" "$prefix/$file"
    echo "$prefix/$file"
  done < "$new/installed-files"
  mv -f "$new/installed-files" "$list"
  case ":${PATH:-}:" in
    *":$prefix/bin:"*) ;;
    *) echo "to run it as skein, add this line to ~/.profile: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
}

main "$@"
