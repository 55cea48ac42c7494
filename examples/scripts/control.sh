#!/bin/sh
# Controls a manager with curl and the mgr command:
#   MGR_URL=http://localhost:8130 MGR_USER=me MGR_PASSWORD_FILE=password.txt control.sh PROCESS
# On the manager's host, use `-c mgr.yaml` instead of the three variables.
set -eu
name=$1
# curl reads the credentials from stdin, because other users can see its arguments.
get() { printf 'user = "%s:%s"\n' "$MGR_USER" "$(head -n 1 "$MGR_PASSWORD_FILE")" | curl -sS --fail --config - "$MGR_URL$1"; }

mgr start "$name"                                     # waits until it is ready
mgr call "{\"type\":\"send_stdin\",\"name\":\"$name\",\"text\":\"hello\\n\"}"
until mgr logs -n 5 "$name" | grep -q 'you typed hello'; do :; done
mgr logs -n 5 "$name"
mgr ps --json "$name" | python3 -c 'import json, sys; print("pid", json.load(sys.stdin)[0]["pid"])'
mgr stop "$name"
get '/mgr/log?raw&level=info' | grep "process '$name'"
get /mgr/metrics | grep -c '^mgr_'
get /save-all > all.tar.bz2
