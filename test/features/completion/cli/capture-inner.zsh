# Runs in the shell whose completion capture.zsh tests: Tab prints `HIT word` for each candidate, then FINISHED.
PROMPT= RPROMPT= PS2=
unset zle_bracketed_paste
fpath=($1 $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
  # With these options it fills arrays for functions of the completion system.
  if [[ ${@[1,(i)(-|--)]} == *-[A-Za-z12]#[OAD]\ * ]]; then
    builtin compadd "$@"
    return
  fi
  local -a hits
  builtin compadd -A hits "$@"
  local hit
  for hit in $hits; do print -r -- "HIT $hit"; done
  builtin compadd "$@"
}
capture() {
  _main_complete
  print -r -- FINISHED
}
zle -C capture list-choices capture
bindkey '^I' capture
print READ""Y
