#!/bin/sh
# Makes the real services that the tests run against: PostgreSQL 17 with pgvector, and Redis 8, from Debian 13, in a folder
# outside the checkout. It is made once (about a minute and 700 MB) and found by `npm test` from then on. Needs root and a
# Debian or one of its children. Prints the folder.
#
#   SIGHTLINE_TEST_CACHE     where to (default ~/.cache/sightline)
#   SIGHTLINE_DEBIAN_MIRROR  where from (default debootstrap's own)
set -eu

home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
cache=${SIGHTLINE_TEST_CACHE:-$home/.cache/sightline}
services=$cache/debian-trixie

# It is renamed into place when it is whole, so what stands there is whole.
if [ -x "$services/usr/bin/redis-server" ]; then
  echo "$services"
  exit 0
fi

fail() {
  echo "tools/test-services.sh: $1" >&2
  exit 1
}

[ "$(id -u)" -eq 0 ] || fail "run it as root, or set TEST_DATABASE_URL and TEST_REDIS_URL to servers of yours."
if ! command -v debootstrap >/dev/null; then
  command -v apt-get >/dev/null || fail "debootstrap is missing, and this system has no apt-get to install it with."
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap; } >&2 </dev/null ||
    fail "debootstrap could not be installed; is the machine offline?"
fi

mkdir -p "$cache"
# One maker at a time; an interrupted one's half-made folder has nobody holding the lock, so it can go.
exec 9>"$cache/making.lock"
flock 9
if [ -x "$services/usr/bin/redis-server" ]; then
  echo "$services"
  exit 0
fi

discard() {
  # debootstrap mounts /proc in there while it works.
  if [ -d "$1" ]; then
    for mounted in proc sys dev/pts dev; do umount -l "$1/$mounted" 2>/dev/null || true; done
    rm -rf --one-file-system "$1"
  fi
}
for left in "$cache"/making.*/; do discard "${left%/}"; done

making=$(mktemp -d "$cache/making.XXXXXX")
trap 'discard "$making"' EXIT
trap 'exit 130' INT TERM HUP
chmod 755 "$making"
echo "Making PostgreSQL 17 with pgvector and Redis 8 in $services (about a minute)…" >&2
debootstrap --variant=minbase --include=postgresql-17,postgresql-17-pgvector,redis-server trixie "$making" ${SIGHTLINE_DEBIAN_MIRROR:+"$SIGHTLINE_DEBIAN_MIRROR"} >"$cache/making.log" 2>&1 </dev/null 9>&- ||
  fail "debootstrap failed: $(tail -n 3 "$cache/making.log")"

# Nothing stays mounted: the servers need no more of /dev than this, and no /proc.
for mounted in proc sys dev/pts dev; do umount -l "$making/$mounted" 2>/dev/null || true; done
[ -e "$making/dev/null" ] || mknod -m 666 "$making/dev/null" c 1 3 2>/dev/null || { : >"$making/dev/null" && chmod 666 "$making/dev/null"; }
rm -rf "$making/var/cache/apt" "$making/var/lib/apt/lists" "$making/usr/share/doc" "$making/usr/share/locale" "$making/var/lib/postgresql/17/main"
[ -x "$making/usr/lib/postgresql/17/bin/postgres" ] && [ -x "$making/usr/bin/redis-server" ] || fail "debootstrap left something out; see $cache/making.log"
mv -T "$making" "$services"
echo "$services"
