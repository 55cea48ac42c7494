import { useEffect, useRef, useState } from "preact/hooks";
import type { ManagerFrame } from "../../src/protocol/frames.ts";
import type { ConfigFileProblem } from "../../src/protocol/resources.ts";
import { confirm } from "./dialog.tsx";
import type { ConfigEditor } from "./editor.ts";
import { Icon } from "./icons.tsx";
import { type Plan, PlanPreview } from "./plan-preview.tsx";
import { ask, connection } from "./store.ts";
import { complain, toast } from "./toasts.ts";

type File = Extract<ManagerFrame, { type: "config_file"; ok: true }>;

/** The configuration's files: edit, compare, save, and see what a reload would do before it does it. */
export function ConfigView() {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<ConfigEditor | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const [dirty, setDirty] = useState(false);
  const [comparing, setComparing] = useState(false);
  const [problems, setProblems] = useState<ConfigFileProblem[]>([]);
  const [plan, setPlan] = useState<Plan | null>(null);
  const [trouble, setTrouble] = useState("");

  const open = async (path?: string) => {
    const answer = await ask(path === undefined ? { type: "request_config_file" } : { type: "request_config_file", path }, "config_file");
    if (!answer.ok) throw new Error(answer.message);
    const { openEditor } = await import("./editor.ts");
    if (!box.current) return;
    editor.current?.close();
    setDirty(false);
    setComparing(false);
    setProblems([]);
    setTrouble("");
    setFile(answer);
    editor.current = openEditor(box.current, answer.content, { onDirty: setDirty, onSave: () => void save() });
  };
  // The editor keeps its first callbacks: what they need is looked up when they are called.
  const latest = useRef<File | null>(null);
  latest.current = file;

  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (isOpen && !latest.current) open().catch((error: Error) => setTrouble(error.message));
  }, [isOpen]);
  useEffect(
    () => () => {
      editor.current?.close();
      editor.current = null;
    },
    [],
  );

  const change = (path: string) => {
    const go = async () => {
      const leave =
        !dirty || (await confirm({ title: "Leave without saving?", text: "What you changed in this file is lost.", yes: "Leave" }));
      if (leave) await open(path);
    };
    go().catch(complain);
  };

  const save = async (overwrite = false): Promise<boolean> => {
    const now = latest.current;
    if (!now || !editor.current) return false;
    const content = editor.current.text();
    const answer = await ask(
      { type: "save_config_file", path: now.path, content, ...(overwrite ? {} : { base_hash: now.hash }) },
      "config_file_saved",
    );
    const found = answer.problems ?? [];
    setProblems(found);
    editor.current.mark(found.filter(({ path }) => path === now.path));
    if (answer.ok) {
      setFile({ ...now, content, hash: answer.hash });
      editor.current.rebase(content);
      setDirty(false);
      toast("Saved. A reload puts it into effect.");
      return true;
    }
    if (answer.code === "conflict") return conflict(now);
    toast(answer.message, true);
    return false;
  };

  /** Somebody else has saved meanwhile: show theirs beside ours, then decide. */
  const conflict = async (now: File): Promise<boolean> => {
    const theirs = await ask({ type: "request_config_file", path: now.path }, "config_file");
    if (!theirs.ok || !editor.current) return false;
    setFile({ ...now, content: theirs.content, hash: theirs.hash });
    editor.current.rebase(theirs.content);
    editor.current.compare(true);
    setComparing(true);
    toast("The file was changed by somebody else meanwhile. Theirs is compared with yours: take what you need, then save again.", true);
    return false;
  };

  const preview = async () => {
    if (dirty && !(await save())) return;
    const answer = await ask({ type: "reload_config", dry_run: true }, "config_reload_result");
    if (answer.ok) setPlan(answer);
    else {
      setProblems(answer.problems ?? []);
      toast(answer.message, true);
    }
  };

  const isWritable = file?.files.find(({ path }) => path === file.path)?.writable !== false;
  return (
    <section class="config" aria-label="Configuration">
      <header class="bar">
        <h1>Configuration</h1>
        {file && file.files.length > 1 ? (
          <select aria-label="File" value={file.path} onChange={(event) => change(event.currentTarget.value)}>
            {file.files.map(({ path }) => (
              <option key={path} value={path}>
                {path}
              </option>
            ))}
          </select>
        ) : (
          <code class="soft file-name">{file?.path}</code>
        )}
        {dirty && <span class="tag">not saved</span>}
        {file && !isWritable && <span class="tag">read only</span>}
        <span class="grow" />
        <span class="actions">
          <button
            type="button"
            aria-pressed={comparing}
            disabled={!file}
            onClick={() => {
              editor.current?.compare(!comparing);
              setComparing(!comparing);
            }}
          >
            Compare
          </button>
          <button type="button" class="strong" disabled={!dirty || !isWritable || !isOpen} onClick={() => save().catch(complain)}>
            <Icon name="check" />
            <span class="word">Save</span>
          </button>
          <button type="button" disabled={!file || !isOpen} onClick={() => preview().catch(complain)}>
            <Icon name="restart" />
            <span class="word">Reload …</span>
          </button>
        </span>
      </header>
      {trouble && <p class="why bad">{trouble}</p>}
      <div class="editor" ref={box} />
      {problems.length > 0 && (
        <ul class="problems" aria-label="Problems">
          {problems.map((problem) => (
            <li key={`${problem.path}:${problem.line}:${problem.column}:${problem.message}`}>
              <button type="button" class="flat" onClick={() => editor.current?.goTo(problem)}>
                <span class="soft">
                  {problem.path}:{problem.line}:{problem.column}
                </span>{" "}
                {problem.message}
              </button>
            </li>
          ))}
        </ul>
      )}
      {plan && <PlanPreview plan={plan} onClose={() => setPlan(null)} />}
    </section>
  );
}
