import type { CommandWords } from "../command-words.ts";
import { argumentTexts, CONNECTION_OPTIONS, optionValues } from "./tables.ts";

/** The script for bash 4.3 and later. It needs nothing of the package bash-completion. */
export function bashScript(commands: readonly CommandWords[]): string {
  return `# bash completion for mgr. Written by: mgr completion bash

# Sets what may follow the command in $1.
_mgr_command() {
  case $1 in
${commands.map(commandCase).join("\n")}
  *) return 1 ;;
  esac
}

# Sets the kind of value of the option $2 of the command in $1.
_mgr_option() {
  case "$1 $2" in
${optionValues(commands).map(optionCase).join("\n")}
  *) return 1 ;;
  esac
}

# Adds the candidates of the kind of value in $1 that begin with $2.
_mgr_value() {
  local kind=\${1%% *} name
  case $kind in
  file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
  folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
  words) mapfile -t COMPREPLY < <(compgen -W "\${1#words }" -- "$2") ;;
  names)
    # Kinds are words, and mean one argument each.
    # shellcheck disable=SC2086
    while IFS=$'\\t' read -r name _; do
      COMPREPLY+=("$(printf %q "$name")")
    done < <("\${COMP_WORDS[0]/#\\~/$HOME}" completion names \${1#names } --prefix "$2" "\${connection[@]}" 2>/dev/null)
    ;;
  esac
}

_mgr() {
  local line=\${COMP_LINE:0:COMP_POINT} current='' path='' value='' option='' word only='' count=0
  local -a words connection=() commands options arguments
  COMPREPLY=()
  # Not COMP_WORDS: they are cut at ':' and '='.
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then
    current=\${words[-1]}
    unset 'words[-1]'
  fi
  _mgr_command ''
  for word in "\${words[@]:1}"; do
    if [[ $option ]]; then
      case $option in ${CONNECTION_OPTIONS.join("|")}) connection+=("$option" "\${word/#\\~/$HOME}") ;; esac
      option=''
    elif [[ $only ]]; then
      ((count++))
    elif [[ $word == -- ]]; then
      only=1
    elif [[ $word == --*=* ]]; then
      case \${word%%=*} in ${CONNECTION_OPTIONS.join("|")}) connection+=("$word") ;; esac
    elif [[ $word == -?* ]]; then
      _mgr_option "$path" "$word" && option=$word
    elif [[ $count -eq 0 && " \${commands[*]} " == *" $word "* ]]; then
      path="\${path:+$path }$word"
      _mgr_command "$path" || return
    else
      ((count++))
    fi
  done

  local start=$current
  if [[ $option ]]; then
    _mgr_option "$path" "$option" && _mgr_value "$value" "$current"
  elif [[ ! $only && $current == --*=* ]]; then
    start=\${current#*=}
    _mgr_option "$path" "\${current%%=*}" && _mgr_value "$value" "$start"
  elif [[ ! $only && $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "\${options[*]}" -- "$current")
  else
    [[ $count -eq 0 && ! $only ]] && mapfile -t COMPREPLY < <(compgen -W "\${commands[*]}" -- "$current")
    local -a found=("\${COMPREPLY[@]}")
    COMPREPLY=()
    local last=''
    [[ \${#arguments[@]} -gt 0 ]] && last=\${arguments[-1]}
    value=\${arguments[count]-}
    [[ ! $value && $last == \\** ]] && value=$last
    [[ $value ]] && _mgr_value "\${value#\\*}" "$current"
    COMPREPLY=("\${found[@]}" "\${COMPREPLY[@]}")
  fi
  # Bash replaces what is behind the last ':' only.
  if [[ $start == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local cut=\${start%"\${start##*:}"} index
    for index in "\${!COMPREPLY[@]}"; do COMPREPLY[index]=\${COMPREPLY[index]#"$cut"}; done
  fi
}

complete -F _mgr mgr
`;
}

function commandCase({ path, commands, options, arguments: values }: CommandWords): string {
  const words = options.flatMap((option) => option.words).filter((word) => word.startsWith("--"));
  return `  ${quoted(path)}) commands=(${commands.map(({ word }) => word).join(" ")}) options=(${words.join(" ")}) arguments=(${argumentTexts(values).map(quoted).join(" ")}) ;;`;
}

function optionCase({ path, option, value }: { path: string | null; option: string; value: string }): string {
  return `  ${path === null ? `*${quoted(` ${option}`)}` : quoted(`${path} ${option}`)}) value=${quoted(value)} ;;`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
