#!/bin/sh
# Checks the SDK for Python: format and lint (of the Python in e2e too), types, and all its tests on the oldest Python and the
# Redis of the path; what depends on them also on every newer Python that is installed here (3.12 to 3.14) and, where
# `tools/test-services.sh` made it, on Redis 8. All but the whole run go beside it, as each keeps one core busy.
#
#   tools/test-python.sh [FOLDER]  writes a JUnit report for each run of the tests into FOLDER
set -eu

cd "$(dirname "$0")/../packages/sdk-python"
reports=${1:-}
failed=0

home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
debian=${SIGHTLINE_TEST_CACHE:-$home/.cache/sightline}/debian-trixie
if [ -x "$debian/usr/bin/redis-server" ]; then
  # Run by the loader of its own system, as it needs that one's libraries.
  libraries=$(dirname "$(find "$debian/usr/lib" -name 'libc.so.6' | head -n 1)")
  loader=$(find "$libraries" -maxdepth 1 -name 'ld-linux*.so.*' | head -n 1)
  newer_redis="$loader --library-path $libraries $debian/usr/bin/redis-server"
fi

run_tests() {
  name=$1 python=$2
  shift 2
  echo "── Python: tests on $name"
  "$python" -m pytest ${reports:+"--junitxml=$reports/$name.xml"} "$@" || failed=1
}

# Runs beside the whole run, and says what it found when that has ended.
check_the_rest() {
  for check in "ruff format --check --config pyproject.toml . ../../e2e" "ruff check --config pyproject.toml . ../../e2e" "mypy"; do
    echo "── Python: $check"
    # shellcheck disable=SC2086 -- The words of the check.
    "$python" -m $check || failed=1
  done
  if [ -n "${newer_redis:-}" ]; then
    export TEST_REDIS_SERVER="$newer_redis"
    run_tests python-redis8 "$python" tests/test_contract.py tests/test_fail_safe.py -k "contract or kill or hung or memory or flushed"
    unset TEST_REDIS_SERVER
  fi
  # Where pyenv keeps several, all of them are on the path.
  if command -v pyenv >/dev/null; then
    PYENV_VERSION=$(pyenv versions --bare | tr '\n' ':')
    export PYENV_VERSION
  fi
  for version in 3.12 3.13 3.14; do
    if "python$version" -c "" 2>/dev/null; then
      another=$(SIGHTLINE_PYTHON=python$version ../../tools/python-environment.sh)
      # What depends on the interpreter; the rest is the same everywhere.
      run_tests "python$version" "$another" tests/test_snapshot.py tests/test_spans.py tests/test_langgraph.py tests/test_process.py \
        -k "not refuses and not terminal and not switched_off"
    fi
  done
  return "$failed"
}

python=$(../../tools/python-environment.sh)
# What it found out about the libraries stays with them.
export MYPY_CACHE_DIR="${python%/bin/python}/mypy"
found=$(mktemp)
check_the_rest >"$found" 2>&1 &
run_tests python-redis7 "$python"
wait $! || failed=1
cat "$found"
rm "$found"
exit "$failed"
