#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup_debian.sh build|test|check...: installs the Debian packages of those sets that are missing.
# Prints what it installs, nothing when all is there. The lists, by release:
set -eu

debian_12() {
  case $1 in
    build) echo cmake g++ ninja-build pkgconf libcli11-dev libfmt-dev nlohmann-json3-dev \
                zlib1g-dev libzstd-dev liblz4-dev libzip-dev libcapstone-dev libre2-dev ;;
    test)  echo python3 python3-jsonschema libgtest-dev libgmock-dev libbenchmark-dev ;;
    check) echo clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev ;;
    *)     echo "error: no package set '$1' (build, test, check)" >&2; exit 2 ;;
  esac
}

wanted=$(for set in "${@:-build}"; do debian_12 "$set"; done)
release=$(. /etc/os-release 2>/dev/null && echo "${ID-}-${VERSION_ID-}") || release=unknown
if [ "$release" != debian-12 ]; then
  echo "error: packages are known by name for debian-12, not for this system ($release)" >&2
  echo "  fix: install what provides these, then add NO_SETUP=1 to make:" "$wanted" >&2
  exit 2
fi

missing=
for package in $wanted; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" != 0 ]; then
  root=sudo
  command -v sudo >/dev/null || {
    echo "error: these packages are missing, and there is neither root nor sudo:$missing" >&2
    echo "  fix: as root: apt-get install$missing" >&2
    exit 2
  }
fi
echo "installing from Debian:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086  # a list of words
{ $root apt-get update && $root apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  echo "error: apt-get could not install:$missing" >&2
  echo "  fix: see the lines above; then run make again" >&2
  exit 2
}
