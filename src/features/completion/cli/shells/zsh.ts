import type { CommandWords, Described } from "../command-words.ts";
import { argumentTexts, CONNECTION_OPTIONS, optionValues } from "./tables.ts";

/** The script for zsh, also as a file `_mgr` in a folder of fpath. */
export function zshScript(commands: readonly CommandWords[]): string {
  return `#compdef mgr
# zsh completion for mgr. Written by: mgr completion zsh

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

# Adds the candidates of the kind of value in $1.
_mgr_value() {
  local kind=\${1%% *} line
  case $kind in
  file) _files ;;
  folder) _files -/ ;;
  words) compadd -- \${=1#words } ;;
  names)
    local -a found
    for line in "\${(@f)$("$program" completion names \${=1#names } --prefix "\${(Q)PREFIX}" "\${connection[@]}" 2>/dev/null)}"; do
      [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    done
    (( $#found )) && _describe -t names name found
    ;;
  esac
}

_mgr() {
  local program=\${~words[1]} command_path='' value='' option='' word only='' last='' count=0
  local -a connection commands options arguments
  _mgr_command ''
  for word in "\${(@Q)words[2,CURRENT-1]}"; do
    if [[ -n $option ]]; then
      case $option in ${CONNECTION_OPTIONS.join("|")}) connection+=("$option" "\${word/#\\~/$HOME}") ;; esac
      option=''
    elif [[ -n $only ]]; then
      (( count++ ))
    elif [[ $word == -- ]]; then
      only=1
    elif [[ $word == --*=* ]]; then
      case \${word%%=*} in ${CONNECTION_OPTIONS.join("|")}) connection+=("$word") ;; esac
    elif [[ $word == -?* ]]; then
      _mgr_option "$command_path" "$word" && option=$word
    elif (( count == 0 && \${commands[(I)$word:*]} )); then
      command_path="\${command_path:+$command_path }$word"
      _mgr_command "$command_path" || return 1
    else
      (( count++ ))
    fi
  done

  if [[ -n $option ]]; then
    _mgr_option "$command_path" "$option" && _mgr_value "$value"
  elif [[ -z $only && $PREFIX == --*=* ]]; then
    _mgr_option "$command_path" "\${PREFIX%%=*}" || return 1
    compset -P '*='
    _mgr_value "$value"
  elif [[ -z $only && $PREFIX == -* ]]; then
    _describe -o -t options option options
  else
    [[ $count -eq 0 && -z $only && $#commands -gt 0 ]] && _describe -t commands command commands
    value=\${arguments[count+1]-}
    (( $#arguments )) && last=$arguments[-1]
    [[ -z $value && $last == \\** ]] && value=$last
    [[ -n $value ]] && _mgr_value "\${value#\\*}"
  fi
}

# The shell loads this file as the function that completes, or the user sources it.
if [[ $funcstack[1] == _mgr ]]; then _mgr "$@"; else compdef _mgr mgr; fi
`;
}

function commandCase({ path, commands, options, arguments: values }: CommandWords): string {
  const described = options.flatMap(({ words, about }) => words.map((word) => ({ word, about })));
  return `  ${quoted(path)})
    commands=(${commands.map(entry).join(" ")})
    options=(${described.map(entry).join(" ")})
    arguments=(${argumentTexts(values).map(quoted).join(" ")}) ;;`;
}

const entry = ({ word, about }: Described): string => quoted(`${word}:${about}`);

function optionCase({ path, option, value }: { path: string | null; option: string; value: string }): string {
  return `  ${path === null ? `*${quoted(` ${option}`)}` : quoted(`${path} ${option}`)}) value=${quoted(value)} ;;`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
