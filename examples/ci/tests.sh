#!/bin/sh
# The tests of the service: $1 is its address.
set -eu
test "$(curl -sS --fail "$1/entries")" = "first entry"
curl -sS --fail -X POST --data second "$1/entries" >/dev/null
test "$(curl -sS --fail "$1/entries" | wc -l)" -eq 2
echo "2 tests passed"
