# Ends the processes of plugins, for a gateway that may itself be killed at any time.
#
#   sh reaper.sh MARK-OF-THE-DATA-FOLDER MARK-OF-THE-GATEWAY
#
# First of all it ends what an earlier gateway left behind: what carries the mark of the data folder and not the one of this gateway. That
# goes on beside the rest, because a look at all processes may take long on a busy machine. Meanwhile it reads lines: "+PID" is a new
# runner, "PID MARK" is a runner that is to be ended with all that its plugin started. When its input ends, the gateway has ended, however
# that came about: then it ends all runners.
#
# A runner leads a process group. What its plugin starts is found below it, in its group, or by its environment, wherever it has moved; it
# is looked for until nothing is found, because it may go on starting more. SIGKILL also ends what spins or was stopped.
exec 2>/dev/null
trap '' HUP INT QUIT TERM
below() {
  found=
  while [ $# -gt 0 ]; do
    found="$found $*"
    next=
    for parent; do
      for list in /proc/"$parent"/task/*/children; do
        children=
        read -r children < "$list"
        next="$next $children"
      done
    done
    set -- $next
  done
}
marked() {
  passes=0
  again=yes
  while [ -n "$again" ] && [ $passes -lt 50 ]; do
    passes=$((passes + 1))
    again=
    for file in $(grep -lsF "$1" /proc/[0-9]*/environ); do
      [ -n "$2" ] && grep -qsF "$2" "$file" && continue
      process=${file#/proc/}
      process=${process%/environ}
      kill -9 "$process" || continue
      again=yes
      [ -n "$2" ] && [ $passes = 1 ] && echo "$process"
    done
  done
}
finish() {
  below $1
  for leader in $1; do kill -9 "-$leader"; done
  kill -9 $found
  marked "$2"
}
held=' '
marked "$1" "$2" &
while read -r runner mark; do
  case $runner in
    +*) held="$held${runner#+} " ;;
    *)
      case $held in *" $runner "*) held="${held%%" $runner "*} ${held#*" $runner "}" ;; esac
      finish "$runner" "$mark"
      ;;
  esac
done
finish "$held" "$2"
