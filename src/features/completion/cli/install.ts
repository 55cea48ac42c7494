import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Command } from "commander";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { SHELLS, type Shell } from "./shell-name.ts";
import { scriptOf } from "./shells/script.ts";

interface InstallFlags {
  shell?: Shell;
}

interface Place {
  readonly file: string;
  /** Instructions for the user. */
  readonly hint: string;
}

/** `mgr completion install`: writes the script for a shell of this user. */
export async function install({ shell = shellOfUser() }: InstallFlags, program: Command): Promise<void> {
  const { file, hint } = placeOf(shell);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, scriptOf(shell, program));
  console.log(`wrote ${visible(file)}\n${visible(hint)}`);
}

function shellOfUser(): Shell {
  const name = basename(process.env.SHELL ?? "");
  const shell = SHELLS.find((each) => each === name);
  if (shell === undefined)
    throw new CommandFailure(
      EXIT.usage,
      `SHELL names ${name === "" ? "no shell" : `'${name}'`}; give the shell with --shell ${SHELLS.join("|")}`,
    );
  return shell;
}

/** The file from which a shell loads the script, for this user. */
function placeOf(shell: Shell): Place {
  const data = process.env.XDG_DATA_HOME || join(homedir(), ".local/share");
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  if (shell === "bash") {
    const folder = process.env.BASH_COMPLETION_USER_DIR || join(data, "bash-completion");
    return {
      file: join(folder, "completions/mgr"),
      hint: "New shells load it, if the package bash-completion is installed; without it, add 'source <(mgr completion bash)' to ~/.bashrc.",
    };
  }
  if (shell === "fish") return { file: join(config, "fish/completions/mgr.fish"), hint: "New shells load it." };
  const folder = join(data, "zsh/site-functions");
  return {
    file: join(folder, "_mgr"),
    hint: `New shells load it, if these lines are in ~/.zshrc:\n  fpath=(${folder} $fpath)\n  autoload -Uz compinit && compinit`,
  };
}
