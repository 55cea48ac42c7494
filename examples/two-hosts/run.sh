#!/bin/sh
# Runs the manager and the daemon of the host "robot" until Ctrl-C. Build first: npm run build
set -eu
cd "$(dirname "$0")"
mgr="node ../../bin/mgr.js"
umask 077
[ -e webui.keys ] || echo "demo $(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')" > webui.keys
[ -e robot.token ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' > robot.token
mkdir -p robot
$mgr up --detach
trap '$mgr down; kill "$daemon" 2>/dev/null; wait' EXIT
trap 'exit 0' INT TERM
$mgr daemon --host robot --bus ws://localhost:8131 --token-file robot.token --state-dir state-robot --cwd robot &
daemon=$!
echo "log in at http://localhost:8131 with: $(cat webui.keys)"
wait "$daemon"
