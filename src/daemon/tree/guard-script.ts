/** Name of the variable that carries the script, so that `ps` shows one readable line. */
export const GUARD_VARIABLE = "MGR_GUARD";
/** The guard's $0. */
export const GUARD_NAME = "mgr-guard";

/**
 * The script of the guard, for any POSIX shell with `grep` and `sleep`. $1 is the marker of the runs that it guards, $2 the pattern of
 * their tags (run-tag.ts); the remaining arguments identify the guard (guard-search.ts).
 *
 * It reads lines from the process that it guards: `run PID START`, `end PID`, `unmarked PID:START …` (replaces the
 * previous list), `cgroup FOLDER` (of all runs), `bye` (ends it). At end of file without `bye` it kills every process
 *  - whose environment has MGR_RUN=<marker>:…, or that has such a tag,
 *  - that was reported to it (pid and start time; for runs also their session),
 *  - below one of these, or in a session that one of these leads,
 *  - in that cgroup, which it removes afterwards,
 * until two consecutive scans find none. It stops all of them before it kills the first: a stopped process cannot fork.
 */
export const GUARD_SCRIPT = `
trap '' HUP INT QUIT TERM PIPE
cd /
marker=$1
tag=$2
unmarked= cgroup=
while read -r verb pid rest; do
  case $verb in
    run) eval "R$pid=$rest" ;;
    end) unset "R$pid" ;;
    unmarked) unmarked="$pid $rest" ;;
    cgroup) cgroup=$pid ;;
    bye) exit 0 ;;
  esac
done

[ ! -w "$cgroup/cgroup.kill" ] || echo 1 >"$cgroup/cgroup.kill"

line_end='
'
set -f
IFS=$line_end
for entry in $(set | grep '^R[0-9]'); do
  pid=\${entry%%=*}
  pid=\${pid#R}
  eval "start=\\$R$pid"
  leaders="$leaders $pid:$start"
done

# P, S, T, G: parent, session, start time of a pid, and the look that saw it. M: the look that found it to be ours.
# O: start time of the leader of a session that is ours. F: start time of a pid that we have stopped.
belongs() {
  eval "M$1=$look session=\\$S$1"
  found="$found $1"
  [ "$session" != "$1" ] || eval "O$1=\\$T$1"
}
told() {
  eval "seen=\\$G$1 start=\\$T$1 mine=\\$M$1"
  [ "$seen" != "$look" ] || [ "$start" != "$2" ] || [ "$mine" = "$look" ] || belongs "$1"
}
find_all() {
  look=$((look + 1)) all= found=
  set +f
  marked=$(grep -lsaF -- "MGR_RUN=$marker:" /proc/[0-9]*/environ)
  tagged=$(grep -ls "^Max file locks  *$tag " /proc/[0-9]*/limits)
  lines=$(grep -as '' /proc/[0-9]*/stat)
  set -f
  IFS=$line_end
  for line in $lines; do
    IFS=' '
    pid=\${line#/proc/}
    pid=\${pid%%/*}
    set -- \${line##*) }
    [ $# -ge 20 ] && [ "$pid" -gt 2 ] && [ "$pid" -ne $$ ] || continue
    case $1 in
      X) continue ;;
      Z) [ "\${18}" -gt 1 ] || continue ;;
    esac
    all="$all $pid"
    eval "P$pid=$2 S$pid=$4 T$pid=\${20} G$pid=$look"
  done
  IFS=" $line_end"
  for file in $marked $tagged; do
    pid=\${file#/proc/}
    pid=\${pid%%/*}
    eval "told $pid \\"\\$T$pid\\""
  done
  for entry in $leaders; do
    eval "O\${entry%:*}=\${entry#*:}"
    told "\${entry%:*}" "\${entry#*:}"
  done
  for entry in $unmarked; do told "\${entry%:*}" "\${entry#*:}"; done
  more=yes
  while [ "$more" ]; do
    more=
    for pid in $all; do
      eval "mine=\\$M$pid parent=\\$P$pid session=\\$S$pid"
      [ "$mine" != "$look" ] || continue
      eval "mine=\\$M$parent leader=\\$O$session seen=\\$G$session start=\\$T$session"
      if [ "$mine" = "$look" ] || { [ "$leader" ] && { [ "$seen" != "$look" ] || [ "$start" = "$leader" ]; }; }; then
        belongs "$pid"
        more=yes
      fi
    done
  done
}

look=0 empty=0 freezes=0
while [ $empty -lt 2 ] && [ $look -lt 500 ]; do
  find_all
  if [ -z "$found" ]; then
    empty=$((empty + 1))
    sleep 0.02
    continue
  fi
  empty=0 fresh=
  for pid in $found; do
    eval "frozen=\\$F$pid start=\\$T$pid"
    [ "$frozen" = "$start" ] || fresh="$fresh $pid"
    eval "F$pid=$start"
  done
  if [ "$fresh" ] && [ $freezes -lt 8 ]; then
    freezes=$((freezes + 1))
    kill -s STOP $fresh
  else
    freezes=0
    kill -s KILL $found
    sleep 0.05
  fi
done
if [ "$cgroup" ]; then
  set +f
  # What has just ended may be counted for a moment more.
  try=0
  while [ -d "$cgroup" ] && [ $try -lt 50 ]; do
    try=$((try + 1))
    rmdir "$cgroup"/*/ "$cgroup" || sleep 0.1
  done
fi
`;
