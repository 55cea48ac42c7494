import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../src/base/errors.ts";
import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";
import type { ConfigFileProblem } from "../../../src/protocol/resources/resources.ts";
import { ask, connection } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/marks/icons.tsx";
import { complain, toast } from "../ui/toasts.ts";
import { checkText } from "./check-text.ts";
import { configActions } from "./config-actions.ts";
import { draftOf, keepDraft, rebaseDraft } from "./config-drafts.ts";
import { FileTabs, shortPath } from "./config-files.tsx";
import { type Conflict, ConflictDialog } from "./conflict-dialog.tsx";
import type { ConfigEditor } from "./editor.ts";
import { FileStateChip } from "./file-state.tsx";
import type { Plan } from "./plan-parts.ts";
import { PlanPreview } from "./plan-preview.tsx";
import { fileState, inOrder } from "./problems.ts";
import { ProblemsPanel } from "./problems-panel.tsx";
import { TextChecker } from "./text-checker.ts";
import { useHistory } from "./use-history.ts";
import { type Version, VersionsPanel, versionName } from "./versions-panel.tsx";

type File = Extract<ManagerFrame, { type: "config_file"; ok: true }>;

/** Result of the last check. `problems`: of all files, null until the first check has ended; `refusal`: the action that they prevented. */
interface CheckResult {
  refusal: string | null;
  problems: readonly ConfigFileProblem[] | null;
  isSyntaxOnly: boolean;
}

/** The configuration's files: edit, compare, save, and preview what a reload would do. */
export function ConfigView() {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<ConfigEditor | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const [dirty, setDirty] = useState(false);
  /** The version that the text is compared with: the saved one or an earlier one; null: none. */
  const [compared, setCompared] = useState<"saved" | Version | null>(null);
  const [checkResult, setCheckResult] = useState<CheckResult>({ refusal: null, problems: null, isSyntaxOnly: false });
  const [isPanelOpen, setPanelOpen] = useState(false);
  const [hasVersions, setVersions] = useState(false);
  const [plan, setPlan] = useState<Plan | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [trouble, setTrouble] = useState("");
  // The editor keeps its first callbacks, so they read the current file from this reference.
  const latest = useRef<File | null>(null);
  latest.current = file;
  const { history, refresh } = useHistory(file?.path ?? null);
  const effective = useRef<string | null>(null);
  effective.current = history?.effective_hash ?? file?.effective_hash ?? null;

  const mark = (problems: readonly ConfigFileProblem[]) =>
    editor.current?.mark(problems.filter(({ path }) => path === latest.current?.path));
  const [checker] = useState(
    () =>
      new TextChecker({
        text: () => editor.current?.text() ?? "",
        check: (text) => checkText(latest.current?.path ?? "", text),
        show: (verdict) => {
          setTrouble("");
          setCheckResult({ refusal: null, ...verdict });
          mark(verdict.problems);
        },
        // If the connection is lost, the next one checks again.
        onError: (error) => connection.peek().kind === "open" && setTrouble(messageOf(error)),
      }),
  );

  const open = async (path?: string) => {
    const answer = await ask(path === undefined ? { type: "request_config_file" } : { type: "request_config_file", path }, "config_file");
    if (!answer.ok) throw new Error(answer.message);
    const { openEditor } = await import("./editor.ts");
    if (!box.current) return;
    editor.current?.close();
    // Restores the draft from before the user opened another view, based on the file that it was written for.
    const draft = draftOf(answer.path);
    const shown = draft ? { ...answer, content: draft.original, hash: draft.hash } : answer;
    setDirty(draft !== undefined);
    setCompared(null);
    setTrouble("");
    setFile(shown);
    latest.current = shown;
    editor.current = openEditor(box.current, shown.content, {
      onDirty: setDirty,
      onText: (text) => {
        const now = latest.current;
        if (now) keepDraft(now.path, text === now.content ? null : { text, original: now.content, hash: now.hash });
        checker.request();
      },
      onSave: () => void save().catch(complain),
    });
    if (draft) editor.current.replace(draft.text);
    mark(checkResult.problems ?? []);
    checker.request(0);
  };

  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (isOpen && !latest.current) open().catch((error: Error) => setTrouble(error.message));
  }, [isOpen]);
  useEffect(
    () => () => {
      checker.cancel();
      editor.current?.close();
      editor.current = null;
    },
    [],
  );

  // The other files on disk, or the manager that checks the text, may have changed.
  useEffect(() => {
    if (latest.current) checker.request(0);
  }, [isOpen, history?.hash, history?.effective_hash]);

  /** Shows the result of the manager's check of `content` and the other files; opens the panel if there are problems. */
  const showResult = (refusal: string | null, problems: readonly ConfigFileProblem[], content: string) => {
    // If the text has changed meanwhile, it is checked again.
    if (content !== editor.current?.text()) return;
    checker.cancel();
    setCheckResult({ refusal, problems, isSyntaxOnly: false });
    mark(problems);
    if (problems.length > 0) setPanelOpen(true);
  };

  // The opened panel shrinks the editor, so the nearest problem is scrolled back into view.
  useLayoutEffect(() => {
    if (checkResult.refusal !== null) editor.current?.reveal();
  }, [checkResult]);

  /** The pending save: saves run one after the other, each based on the text that the previous one saved. */
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const save = (over?: { hash: string }): Promise<boolean> => {
    const path = latest.current?.path;
    const saved = saving.current.then(() => saveNow(path, over));
    saving.current = saved.catch(() => {});
    return saved;
  };

  const saveNow = async (path: string | undefined, over?: { hash: string }): Promise<boolean> => {
    const now = latest.current;
    // The user has opened another file meanwhile: this one stays marked as unsaved.
    if (!now || !editor.current || now.path !== path) return false;
    const content = editor.current.text();
    const frame = { type: "save_config_file", path: now.path, content, base_hash: over?.hash ?? now.hash } as const;
    const answer = await ask(frame, "config_file_saved");
    const isShown = editor.current !== null && latest.current?.path === path;
    const problems = answer.problems ?? [];
    if (answer.ok) {
      if (isShown) rebase({ content, hash: answer.hash });
      else rebaseDraft(path, { content, hash: answer.hash });
      toast(answer.hash === effective.current ? "Saved. This version is in effect." : "Saved. Reload to apply the changes.");
      refresh();
    }
    if (isShown) showResult(answer.ok ? null : "Not saved", problems, content);
    if (answer.ok) return true;
    if (answer.code === "conflict" && isShown) {
      const theirs = await ask({ type: "request_config_file", path }, "config_file");
      if (theirs.ok && latest.current?.path === path) setConflict({ path, theirs });
      // The panel lists the problems and their positions.
    } else if (problems.length === 0 || !isShown) toast(problems.length === 0 ? answer.message : `${path} was not saved.`, { bad: true });
    return false;
  };

  /** Compares the draft with the file's new text. */
  const rebase = ({ content, hash }: { content: string; hash: string }) => {
    const now = latest.current;
    if (!now || !editor.current) return;
    latest.current = { ...now, content, hash };
    setFile(latest.current);
    editor.current.rebase(content);
  };

  const textOf = async (version: Version): Promise<string> => {
    const answer = await ask({ type: "request_config_file", path: latest.current?.path ?? "", hash: version.hash }, "config_file");
    if (!answer.ok) throw new Error(answer.message);
    return answer.content;
  };

  const compare = async (to: "saved" | Version | null) => {
    editor.current?.compare(to === null || to === "saved" ? to : { earlier: await textOf(to) });
    setCompared(to);
  };

  const restore = async (version: Version) => {
    const text = await textOf(version);
    editor.current?.replace(text);
    await compare(null);
    toast(`Restored version ${versionName(version)} as a draft. Save to keep it.`);
  };

  const preview = async () => {
    if (dirty && !(await save())) return;
    const content = editor.current?.text() ?? "";
    const answer = await ask({ type: "reload_config", dry_run: true }, "config_reload_result");
    showResult(answer.ok ? null : "Cannot be reloaded", answer.problems ?? [], content);
    if (answer.ok) setPlan(answer);
    else if ((answer.problems ?? []).length === 0) toast(answer.message, { bad: true });
  };

  const goTo = async (problem: ConfigFileProblem) => {
    if (problem.path !== latest.current?.path) await open(problem.path);
    editor.current?.goTo(problem);
  };

  /** Loads the text that another program or user has written to the file. */
  const loadNewest = async () => {
    const theirs = await ask({ type: "request_config_file", path: latest.current?.path ?? "" }, "config_file");
    if (!theirs.ok) throw new Error(theirs.message);
    if (dirty) return setConflict({ path: theirs.path, theirs });
    rebase(theirs);
    editor.current?.replace(theirs.content);
  };

  const run = (what: () => Promise<unknown>) => () => void what().catch(complain);
  const toggleCompare = run(() => compare(compared === null ? "saved" : null));
  const toggleVersions = () => {
    setVersions(!hasVersions);
    refresh();
  };
  // Runs before the next key is handled, so that the palette offers the current actions.
  useLayoutEffect(() => {
    const actions = { save: run(() => save()), compare: toggleCompare, reload: run(preview), versions: toggleVersions };
    configActions.value = actions;
    return () => {
      if (configActions.peek() === actions) configActions.value = null;
    };
  });

  const isWritable = file?.files.find(({ path }) => path === file.path)?.writable !== false;
  const files = file?.files ?? [];
  const isOutdated = file !== null && history !== null && history.hash !== file.hash;
  return (
    <section class="config" aria-label="Configuration">
      <header class="bar">
        <h1>Configuration</h1>
        {file?.files.length === 1 && (
          <code class="soft file-name" title={file.path}>
            {shortPath(file.path, file.files)}
          </code>
        )}
        {file && <FileStateChip state={fileState({ isDirty: dirty, hash: file.hash, effectiveHash: effective.current })} />}
        {file && !isWritable && <span class="tag">read-only</span>}
        {isOutdated && (
          <button type="button" class="flat warn" title="Another user or program has written this file" onClick={run(loadNewest)}>
            Changed on disk. Load it
          </button>
        )}
        <span class="grow" />
        <span class="actions">
          <Button pressed={compared === "saved"} enabled={file !== null} title="Compare with saved file" onClick={toggleCompare}>
            <Icon name="compare" />
            <span class="word">Compare</span>
          </Button>
          <Button pressed={hasVersions} enabled={file !== null} title="Earlier versions of this file" onClick={toggleVersions}>
            <Icon name="history" />
            <span class="word">Versions</span>
          </Button>
          <Button class="strong" enabled={dirty && isWritable && isOpen} title="Save this file  Ctrl-S" onClick={run(() => save())}>
            <Icon name="check" />
            <span class="word">Save</span>
          </Button>
          <Button enabled={file !== null && isOpen} title="Preview what a reload changes" onClick={run(preview)}>
            <Icon name="reload" />
            <span class="word">Reload preview</span>
          </Button>
        </span>
      </header>
      {file && files.length > 1 && (
        <FileTabs files={files} shown={file.path} onOpen={(path) => path !== file.path && open(path).catch(complain)} />
      )}
      {trouble && <p class="why bad">{trouble}</p>}
      {compared !== null && (
        <p class="compare-line">
          <span>
            Your text compared with <b>{compared === "saved" ? "the saved file" : `version ${versionName(compared)}`}</b>
          </span>
          <button type="button" class="linklike" onClick={run(() => compare(null))}>
            End comparison
          </button>
        </p>
      )}
      <div class="config-body">
        <div class="editor" ref={box} />
        {hasVersions && history && (
          <VersionsPanel
            history={history}
            compared={compared === "saved" ? null : compared}
            isWritable={isWritable}
            onCompare={(version) => void compare(version).catch(complain)}
            onRestore={(version) => void restore(version).catch(complain)}
            onClose={() => setVersions(false)}
          />
        )}
      </div>
      <ProblemsPanel
        problems={checkResult.problems && inOrder(checkResult.problems, file?.path ?? "")}
        isSyntaxOnly={checkResult.isSyntaxOnly}
        files={files}
        refusal={checkResult.refusal}
        isOpen={isPanelOpen}
        onToggle={() => setPanelOpen(!isPanelOpen)}
        onGo={(problem) => void goTo(problem).catch(complain)}
      />
      {plan && <PlanPreview plan={plan} onClose={() => setPlan(null)} onReloaded={refresh} />}
      {conflict && (
        <ConflictDialog
          conflict={conflict}
          onCompare={() => {
            rebase(conflict.theirs);
            void compare("saved").catch(complain);
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
