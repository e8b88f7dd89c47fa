#!/bin/sh
# Runs a server for as long as standard input stays open, then stops it and removes its folder. The system closes the pipe
# however the process at its other end comes to its end, so nothing outlives a test run that crashed or was killed.
#
#   run-while-open.sh FOLDER COMMAND [ARGUMENT…]
folder=$1
shift
exec 3<&0
"$@" </dev/null 3<&- >"$folder/output" 2>&1 &
server=$!
{ read -r _ <&3; kill -INT "$server"; } 2>/dev/null >/dev/null &
watcher=$!
exec 3<&-
wait "$server"
status=$?
kill "$watcher" 2>/dev/null
tail -n 20 "$folder/output"
rm -rf "$folder"
exit "$status"
