import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import type { ConfigFileProblem } from "../../../src/protocol/resources/resources.ts";
import { ask, connection } from "../app/store.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { complain, toast } from "../ui/toasts.ts";
import { draftOf, keepDraft, rebaseDraft } from "./config-drafts.ts";
import { FileTabs, shortPath } from "./config-files.tsx";
import { type Conflict, ConflictDialog } from "./conflict-dialog.tsx";
import type { ConfigEditor } from "./editor.ts";
import { type Plan, PlanPreview } from "./plan-preview.tsx";

type File = Extract<ManagerFrame, { type: "config_file"; ok: true }>;

/** Actions of the view, for the palette; null while it is not shown. */
export const configActions = signal<{ save: () => void; compare: () => void; reload: () => void } | null>(null);

/** The configuration's files: edit, compare, save, and preview what a reload would do. */
export function ConfigView() {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<ConfigEditor | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const [dirty, setDirty] = useState(false);
  const [comparing, setComparing] = useState(false);
  const [problems, setProblems] = useState<ConfigFileProblem[]>([]);
  const [plan, setPlan] = useState<Plan | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [trouble, setTrouble] = useState("");
  // The editor keeps its first callbacks: they look up what they need when they are called.
  const latest = useRef<File | null>(null);
  latest.current = file;

  const open = async (path?: string) => {
    const answer = await ask(path === undefined ? { type: "request_config_file" } : { type: "request_config_file", path }, "config_file");
    if (!answer.ok) throw new Error(answer.message);
    const { openEditor } = await import("./editor.ts");
    if (!box.current) return;
    editor.current?.close();
    // A draft from before the user opened another view is restored, over the file that it was written for.
    const draft = draftOf(answer.path);
    const shown = draft ? { ...answer, content: draft.original, hash: draft.hash } : answer;
    setDirty(draft !== undefined);
    setComparing(false);
    setProblems([]);
    setTrouble("");
    setFile(shown);
    latest.current = shown;
    editor.current = openEditor(box.current, shown.content, {
      onDirty: setDirty,
      onText: (text) => {
        const now = latest.current;
        if (now) keepDraft(now.path, text === now.content ? null : { text, original: now.content, hash: now.hash });
      },
      onSave: () => void save().catch(complain),
    });
    if (draft) editor.current.replace(draft.text);
  };

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

  /** One save after the other: each is based on the text that the previous one saved. */
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const save = (over?: { hash: string }): Promise<boolean> => {
    const path = latest.current?.path;
    const saved = saving.current.then(() => saveNow(path, over));
    saving.current = saved.catch(() => {});
    return saved;
  };

  const saveNow = async (path: string | undefined, over?: { hash: string }): Promise<boolean> => {
    const now = latest.current;
    // A user who opens another file meanwhile sees this one marked as unsaved.
    if (!now || !editor.current || now.path !== path) return false;
    const content = editor.current.text();
    const frame = { type: "save_config_file", path: now.path, content, base_hash: over?.hash ?? now.hash } as const;
    const answer = await ask(frame, "config_file_saved");
    const isShown = editor.current !== null && latest.current?.path === path;
    if (answer.ok) {
      if (isShown) rebase({ content, hash: answer.hash });
      else rebaseDraft(path, { content, hash: answer.hash });
      toast("Saved. Reload to apply the changes.");
    }
    if (isShown) {
      const found = answer.problems ?? [];
      setProblems(found);
      editor.current?.mark(found.filter((problem) => problem.path === path));
    }
    if (answer.ok) return true;
    if (answer.code === "conflict" && isShown) {
      const theirs = await ask({ type: "request_config_file", path }, "config_file");
      if (theirs.ok && latest.current?.path === path) setConflict({ path, theirs });
    } else toast(answer.message, { bad: true });
    return false;
  };

  /** The file has another text now: the draft is compared with it. */
  const rebase = ({ content, hash }: { content: string; hash: string }) => {
    const now = latest.current;
    if (!now || !editor.current) return;
    latest.current = { ...now, content, hash };
    setFile(latest.current);
    editor.current.rebase(content);
  };

  const compare = (on: boolean) => {
    editor.current?.compare(on);
    setComparing(on);
  };

  const preview = async () => {
    if (dirty && !(await save())) return;
    const answer = await ask({ type: "reload_config", dry_run: true }, "config_reload_result");
    if (answer.ok) setPlan(answer);
    else {
      setProblems(answer.problems ?? []);
      toast(answer.message, { bad: true });
    }
  };

  const run = (what: () => Promise<unknown>) => () => void what().catch(complain);
  // Before the next key can arrive: the palette offers the current actions.
  useLayoutEffect(() => {
    const actions = { save: run(() => save()), compare: () => compare(!comparing), reload: run(preview) };
    configActions.value = actions;
    return () => {
      if (configActions.peek() === actions) configActions.value = null;
    };
  });

  const isWritable = file?.files.find(({ path }) => path === file.path)?.writable !== false;
  return (
    <section class="config" aria-label="Configuration">
      <header class="bar">
        <h1>Configuration</h1>
        {file?.files.length === 1 && (
          <code class="soft file-name" title={file.path}>
            {shortPath(file.path, file.files)}
          </code>
        )}
        {dirty && <span class="tag">unsaved</span>}
        {file && !isWritable && <span class="tag">read-only</span>}
        <span class="grow" />
        <span class="actions">
          <Button pressed={comparing} enabled={file !== null} title="Compare with saved file" onClick={() => compare(!comparing)}>
            Compare
          </Button>
          <Button class="strong" enabled={dirty && isWritable && isOpen} onClick={run(() => save())}>
            <Icon name="check" />
            <span class="word">Save</span>
          </Button>
          <Button enabled={file !== null && isOpen} onClick={run(preview)}>
            <Icon name="restart" />
            <span class="word">Reload …</span>
          </Button>
        </span>
      </header>
      {file && file.files.length > 1 && (
        <FileTabs files={file.files} shown={file.path} onOpen={(path) => path !== file.path && open(path).catch(complain)} />
      )}
      {trouble && <p class="why bad">{trouble}</p>}
      <div class="editor" ref={box} />
      {problems.length > 0 && (
        <ul class="problems" aria-label="Problems">
          {problems.map((problem) => (
            <li key={`${problem.path}:${problem.line}:${problem.column}:${problem.message}`}>
              <button type="button" class="flat" onClick={() => editor.current?.goTo(problem)}>
                <span class="soft">
                  {shortPath(problem.path, file?.files ?? [])}:{problem.line}:{problem.column}
                </span>{" "}
                {problem.message}
              </button>
            </li>
          ))}
        </ul>
      )}
      {plan && <PlanPreview plan={plan} onClose={() => setPlan(null)} />}
      {conflict && (
        <ConflictDialog
          conflict={conflict}
          onCompare={() => {
            rebase(conflict.theirs);
            compare(true);
          }}
          onTheirs={() => {
            rebase(conflict.theirs);
            editor.current?.replace(conflict.theirs.content);
          }}
          onMine={run(() => save(conflict.theirs))}
          onClose={() => setConflict(null)}
        />
      )}
    </section>
  );
}
