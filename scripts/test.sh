#!/usr/bin/env bash
# The whole check: packages, build, types, style, import rules, generated files, tests. Last line: `N passed, N failed`.
set -u
cd "$(dirname "$0")/.."
passed=0
failed=0
count() { if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1" >&2; fi; }

declare -A outputs=() pids=()
# When this script is ended, what it started in the background clears up.
trap 'kill "${pids[@]}" 2>/dev/null; wait; rm -f "${outputs[@]}"' EXIT
# Starts a check beside the others.
check() {
  local name=$1
  outputs[$name]=$(mktemp)
  shift
  "$@" >"${outputs[$name]}" 2>&1 &
  pids[$name]=$!
}
# Waits for these checks; prints and counts them in this order.
results() {
  local name status
  for name in "$@"; do
    wait "${pids[$name]}"
    status=$?
    echo "== $name"
    cat "${outputs[$name]}"
    rm -f "${outputs[$name]}"
    unset "outputs[$name]" "pids[$name]"
    count "$name" "$status"
  done
}

bash scripts/system-packages || { echo "0 passed, 1 failed"; exit 1; }
# It builds and tests a copy. Of a low priority: from here to the end it takes what the others leave of the processors.
check "the core without one of the features" node scripts/checks/deletion.js
# The types of sources, tests and scripts are checked by the next step; the build takes the other processor meanwhile.
check "types" npm run --silent typecheck
echo "== build"
node scripts/checks/without-compilers.js npm run --silent build -- --unchecked
count "build" $?
# Some read what was built.
check "style and unused code" npm run --silent lint
check "import rules" node scripts/checks/imports.js
check "citations" node scripts/checks/citations.js
check "assertions" node scripts/checks/assertions.js
results "types" "style and unused code" "import rules" "citations" "assertions"

report=$(mktemp)
echo "== tests"
npx vitest run --reporter=default --reporter=json --outputFile.json="$report" --reporter=./scripts/checks/second-tries.js
status=$?
read -r tests_passed tests_failed tests_skipped < <(node -e '
  let r; try { r = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")); } catch { console.log("0 1 0"); process.exit(); }
  const brokenFiles = r.testResults.filter((f) => f.status === "failed" && f.assertionResults.every((t) => t.status !== "failed")).length;
  console.log(r.numPassedTests, r.numFailedTests + brokenFiles, r.numPendingTests + (r.numTodoTests ?? 0));' "$report")
rm -f "$report"
passed=$((passed + tests_passed))
failed=$((failed + tests_failed))
# An error outside of any test (an unhandled rejection, a leaked handle) fails the run as well; a skipped test is one too.
if [ "$status" -ne 0 ] && [ "$tests_failed" -eq 0 ]; then failed=$((failed + 1)); fi
results "the core without one of the features"
if [ "$tests_skipped" -ne 0 ]; then echo "FAILED: $tests_skipped tests were skipped" >&2; failed=$((failed + tests_skipped)); fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
