import type { CommandWords, Described } from "../command-words.ts";
import { argumentTexts, CONNECTION_OPTIONS, optionValues } from "./tables.ts";

/** The script for fish 3.1 and later. */
export function fishScript(commands: readonly CommandWords[]): string {
  return `# fish completion for mgr. Written by: mgr completion fish

# Sets what may follow the command in $argv[1].
function __mgr_command --no-scope-shadowing
    switch $argv[1]
${commands.map(commandCase).join("\n")}
        case '*'
            return 1
    end
    # 'set' keeps the status of the command before.
    return 0
end

# Sets the kind of value of the option $argv[2] of the command in $argv[1].
function __mgr_option --no-scope-shadowing
    switch "$argv[1] $argv[2]"
${optionValues(commands).map(optionCase).join("\n")}
        case '*'
            return 1
    end
    # 'set' keeps the status of the command before.
    return 0
end

# Prints the candidates of the kind of value in $argv[1], which begin with $argv[2].
function __mgr_value --no-scope-shadowing
    set -l kind (string split ' ' -- $argv[1])
    switch $kind[1]
        case file
            __fish_complete_path $argv[2]
        case folder
            __fish_complete_directories $argv[2] ''
        case words
            printf '%s\\n' $kind[2..-1]
        case names
            $program completion names $kind[2..-1] --prefix "$argv[2]" $connection 2>/dev/null
    end
end

function __mgr_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l command_path ''
    set -l value ''
    set -l option ''
    set -l only ''
    set -l count 0
    set -l connection
    set -l commands
    set -l options
    set -l arguments
    __mgr_command ''
    for word in $words[2..-1]
        if test -n "$option"
            contains -- $option ${CONNECTION_OPTIONS.join(" ")}; and set -a connection $option (string replace -r '^~' $HOME -- $word)
            set option ''
        else if test -n "$only"
            set count (math $count + 1)
        else if test "$word" = --
            set only 1
        else if string match -q -- '--*=*' $word
            contains -- (string split -m 1 = -- $word)[1] ${CONNECTION_OPTIONS.join(" ")}; and set -a connection $word
        else if string match -q -- '-?*' $word
            __mgr_option "$command_path" $word; and set option $word
        else if test $count -eq 0; and string match -q -- $word\\t'*' $commands
            set command_path (string trim -- "$command_path $word")
            __mgr_command $command_path; or return
        else
            set count (math $count + 1)
        end
    end

    if test -n "$option"
        __mgr_option "$command_path" $option; and __mgr_value $value $current
    else if test -z "$only"; and string match -q -- '--*=*' $current
        set -l parts (string split -m 1 = -- $current)
        __mgr_option "$command_path" $parts[1]; and __mgr_value $value $parts[2] | string replace -r -- '^' "$parts[1]="
    else if test -z "$only"; and string match -q -- '-*' $current
        printf '%s\\n' $options
    else
        test $count -eq 0 -a -z "$only"; and set -q commands[1]; and printf '%s\\n' $commands
        set value $arguments[(math $count + 1)]
        if test -z "$value"; and set -q arguments[1]; and string match -q -- '\\**' $arguments[-1]
            set value $arguments[-1]
        end
        test -n "$value"; and __mgr_value (string replace -r '^\\*' '' -- $value) $current
    end
end

complete -c mgr -f -a '(__mgr_complete)'
`;
}

function commandCase({ path, commands, options, arguments: values }: CommandWords): string {
  const described = options.flatMap(({ words, about }) => words.map((word) => ({ word, about })));
  return `        case ${quoted(path)}
            set commands ${commands.map(entry).join(" ")}
            set options ${described.map(entry).join(" ")}
            set arguments ${argumentTexts(values).map(quoted).join(" ")}`;
}

const entry = ({ word, about }: Described): string => `${quoted(word)}\\t${quoted(about)}`;

function optionCase({ path, option, value }: { path: string | null; option: string; value: string }): string {
  return `        case ${quoted(path === null ? `* ${option}` : `${path} ${option}`)}
            set value ${quoted(value)}`;
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
