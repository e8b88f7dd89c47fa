#!/bin/sh
# Makes what `npm run prove:citus` runs against: a copy of the services of tools/test-services.sh (made first where they are
# missing) with Citus built from its source. It is made once (about five minutes) and found from then on. Prints the folder;
# without a source it says so and makes nothing. Needs root and a Debian or one of its children.
#
#   CITUS_SOURCE             a folder with Citus' source, or a git repository of it (bare ones too)
#   CITUS_REF                what of the repository to build (default its newest release)
#   SIGHTLINE_TEST_CACHE     where to (default ~/.cache/sightline)
set -eu

if [ -z "${CITUS_SOURCE:-}" ]; then
  echo "Skipped: Citus is built from CITUS_SOURCE, a folder or git repository with its source, and that is not set." >&2
  exit 0
fi

fail() {
  echo "tools/citus.sh: $1" >&2
  exit 1
}

home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
cache=${SIGHTLINE_TEST_CACHE:-$home/.cache/sightline}
[ -d "$CITUS_SOURCE" ] || fail "CITUS_SOURCE is no folder: $CITUS_SOURCE"

# Files of a checkout are taken as they are, unless a ref is asked for.
is_repository() {
  [ -n "${CITUS_REF:-}" ] || [ ! -e "$CITUS_SOURCE/configure" ]
}
source_git() {
  git -c safe.directory='*' -C "$CITUS_SOURCE" "$@"
}
if is_repository; then
  ref=${CITUS_REF:-$(source_git tag --list 'v[0-9]*' --sort=-version:refname | grep -xE 'v[0-9.]+' | head -n 1)}
  [ -n "$ref" ] || ref=HEAD
  configure=$(source_git show "$ref:configure") || fail "$CITUS_SOURCE has no Citus at $ref."
else
  configure=$(cat "$CITUS_SOURCE/configure")
fi
version=$(printf '%s\n' "$configure" | sed -n "s/^PACKAGE_VERSION='\(.*\)'\$/\1/p")
[ -n "$version" ] || fail "CITUS_SOURCE does not look like Citus: its configure names no version."

citus=$cache/citus-$version
library=usr/lib/postgresql/17/lib/citus.so

# It is renamed into place when it is whole, so what stands there is whole.
if [ -e "$citus/$library" ]; then
  echo "$citus"
  exit 0
fi

services=$("$(dirname "$0")/test-services.sh")

# One maker at a time; an interrupted one's half-made folder has nobody holding the lock, so it can go.
exec 9>"$cache/making-citus.lock"
flock 9
if [ -e "$citus/$library" ]; then
  echo "$citus"
  exit 0
fi
rm -rf --one-file-system "$cache"/making-citus.*/
making=$(mktemp -d "$cache/making-citus.XXXXXX")
trap 'rm -rf --one-file-system "$making"' EXIT
trap 'exit 130' INT TERM HUP
log=$cache/making-citus.log
echo "Building Citus $version in $citus (about five minutes)…" >&2

# Without what tests that run meanwhile keep there.
copy_services() {
  mkdir "$1"
  chmod 755 "$1"
  tar -C "$services" --exclude='./tmp/*' -cf - . | tar -C "$1" -xf -
}

# The compiler and the headers are only where Citus is built, not where it runs.
copy_services "$making/build"
cp -L /etc/resolv.conf "$making/build/etc/resolv.conf"
mkdir "$making/build/citus"
if is_repository; then
  source_git archive "$ref" | tar -x -C "$making/build/citus"
else
  cp -a "$CITUS_SOURCE/." "$making/build/citus"
fi
# The server's headers are unpacked without what their package depends on: a second compiler, for code that is not made here.
cat >"$making/build/citus/build.sh" <<'BUILD'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
apt-get update -qq
apt-get install -y -qq --no-install-recommends gcc libc6-dev make libpq-dev libicu-dev liblz4-dev libpam0g-dev libreadline-dev \
  libselinux1-dev libssl-dev libxml2-dev libxslt1-dev libzstd-dev zlib1g-dev libkrb5-dev
cd /tmp
apt-get download -qq postgresql-server-dev-17
dpkg -x postgresql-server-dev-17_*.deb /
cd /citus
./configure --without-libcurl PG_CONFIG=/usr/lib/postgresql/17/bin/pg_config
make -j2 with_llvm=no
make install with_llvm=no DESTDIR=/built
BUILD
chroot "$making/build" sh /citus/build.sh >"$log" 2>&1 </dev/null 9>&- || fail "Citus was not built: $(tail -n 5 "$log") (all of it is in $log)"

copy_services "$making/whole"
cp -a "$making/build/built/." "$making/whole/"
[ -e "$making/whole/$library" ] || fail "Citus' build left its library out; see $log"
rm -rf "$citus"
mv -T "$making/whole" "$citus"
echo "$citus"
