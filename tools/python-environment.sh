#!/bin/sh
# Makes a Python environment outside the checkout: with the packages of a list of requirements, or, without one, with what the
# SDK for Python is checked with (the dependencies of its group "test"). It is made once for each list (at most half a minute)
# and found by the tests from then on. Prints the environment's Python.
#
#   tools/python-environment.sh [REQUIREMENTS]
#   tools/python-environment.sh --find          the SDK's, if it was made before; makes nothing, and ends with 1 if it was not
#
#   SIGHTLINE_PYTHON      the Python to make it of (default python3; 3.11 or newer)
#   SIGHTLINE_TEST_CACHE  where to (default ~/.cache/sightline)
set -eu

cd "$(dirname "$0")/.."
package=$PWD/packages/sdk-python
find=
if [ "${1:-}" = --find ]; then
  find=yes
  shift
fi
requirements=${1:+$PWD/$1}
python=${SIGHTLINE_PYTHON:-python3}

fail() {
  echo "tools/python-environment.sh: $1" >&2
  exit 1
}

command -v "$python" >/dev/null || fail "$python is missing: install Python 3.11 or newer, or name one in SIGHTLINE_PYTHON."
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2]); sys.exit(sys.version_info < (3, 11))') ||
  fail "$python is Python $version; the SDK needs 3.11 or newer."

home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
cache=${SIGHTLINE_TEST_CACHE:-$home/.cache/sightline}
digest=$(cat "${requirements:-$package/pyproject.toml}" tools/python-environment.sh | sha256sum | cut -c1-16)
environment=$cache/python-$version-$digest

if [ -n "$find" ]; then
  [ -x "$environment/bin/python" ] || exit 1
  echo "$environment/bin/python"
  exit
fi

# It is renamed into place when it is whole, so what stands there is whole.
if [ ! -x "$environment/bin/python" ]; then
  mkdir -p "$cache"
  exec 9>"$cache/making-python.lock"
  flock 9
fi
if [ ! -x "$environment/bin/python" ]; then
  rm -rf "$cache"/making-python.*/
  making=$(mktemp -d "$cache/making-python.XXXXXX")
  trap 'rm -rf "$making"' EXIT
  chmod 755 "$making"
  {
    echo "Making a Python $version environment in $environment (about half a minute)…"
    "$python" -m venv "$making" || fail "$python has no venv; on Debian: apt-get install python3-venv"
    "$making/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
    if [ -n "$requirements" ]; then
      "$making/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
    else
      (cd "$package" && "$making/bin/python" -m pip install --quiet --disable-pip-version-check --group test)
    fi
  } >&2 </dev/null || fail "the packages could not be installed; is the machine offline?"
  mv "$making" "$environment"
  trap - EXIT
fi
echo "$environment/bin/python"
