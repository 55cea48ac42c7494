import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { forEachDiagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { getChunks, unifiedMergeView, updateOriginalDoc } from "@codemirror/merge";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { ChangeSet, Compartment, EditorState, Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { ConfigFileProblem } from "../../../src/protocol/resources/resources.ts";
import { marksOf, positionOf } from "./problem-marks.ts";
import { completeFromSchema } from "./schema-support.ts";

export interface ConfigEditor {
  text(): string;
  /** Replaces the whole text; the user can undo it. */
  replace(text: string): void;
  /** Replaces the marked problems. The marks move with the text. */
  mark(problems: readonly ConfigFileProblem[]): void;
  /** Scrolls to the marked problem nearest to the cursor. */
  reveal(): void;
  goTo(place: { line: number; column: number }): void;
  /** Sets a new text on disk, which the text is compared with. */
  rebase(content: string): void;
  /** Shows the differences to the text on disk or to an earlier one within the text; null hides them. */
  compare(to: "saved" | { earlier: string } | null): void;
  close(): void;
}

interface Callbacks {
  onDirty: (dirty: boolean) => void;
  /** Called at each change. */
  onText: (text: string) => void;
  onSave: () => void;
}

/** Margin above and below a problem that is scrolled into view, px: a line and a half. */
const REVEAL_MARGIN_PX = 30;

/** Colours by the style sheet's variables, so that both themes are right. */
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.content], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--busy)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.meta, tags.keyword, tags.typeName], color: "var(--warn)" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--soft)" },
]);

export function openEditor(parent: HTMLElement, content: string, { onDirty, onText, onSave }: Callbacks): ConfigEditor {
  const comparison = new Compartment();
  let original = Text.of(content.split("\n"));
  let isDirty = false;
  let isComparing = false;
  const notifyDirty = (now: boolean) => {
    if (now === isDirty) return;
    isDirty = now;
    onDirty(now);
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: content,
      extensions: [
        lineNumbers(),
        foldGutter(),
        lintGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        yaml(),
        syntaxHighlighting(colours),
        autocompletion({ override: [completeFromSchema], icons: false }),
        EditorState.tabSize.of(2),
        EditorView.contentAttributes.of({ "aria-label": "Configuration editor" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          notifyDirty(!update.state.doc.eq(original));
          onText(update.state.doc.toString());
        }),
        keymap.of([
          {
            key: "Mod-s",
            preventDefault: true,
            run: () => {
              onSave();
              return true;
            },
          },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        comparison.of([]),
      ],
    }),
  });

  // The keyboard can scroll it without editing (axe: scrollable-region-focusable).
  view.scrollDOM.tabIndex = 0;
  return {
    text: () => view.state.doc.toString(),
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    mark(problems) {
      view.dispatch(setDiagnostics(view.state, marksOf(view.state.doc, problems)));
    },
    reveal() {
      const { head } = view.state.selection.main;
      const marked: number[] = [];
      forEachDiagnostic(view.state, (_, from) => marked.push(from));
      const [nearest] = marked.sort((one, other) => Math.abs(one - head) - Math.abs(other - head));
      if (nearest !== undefined)
        view.dispatch({ effects: EditorView.scrollIntoView(nearest, { y: "nearest", yMargin: REVEAL_MARGIN_PX }) });
    },
    goTo({ line, column }) {
      const position = positionOf(view.state.doc, line, column);
      view.dispatch({ selection: { anchor: position }, effects: EditorView.scrollIntoView(position, { y: "center" }) });
      view.focus();
    },
    rebase(next) {
      const changes = ChangeSet.of({ from: 0, to: original.length, insert: next }, original.length);
      original = Text.of(next.split("\n"));
      if (isComparing) view.dispatch({ effects: updateOriginalDoc.of({ doc: original, changes }) });
      notifyDirty(!view.state.doc.eq(original));
      onText(view.state.doc.toString());
    },
    compare(to) {
      isComparing = to === "saved";
      // The extension keeps the text that it compares with, so the old extension is removed first.
      view.dispatch({ effects: comparison.reconfigure([]) });
      if (to === null) return;
      const base = to === "saved" ? original : Text.of(to.earlier.split("\n"));
      view.dispatch({ effects: comparison.reconfigure(unifiedMergeView({ original: base, mergeControls: undoButton, gutter: true })) });
      const first = getChunks(view.state)?.chunks[0];
      if (first) view.dispatch({ effects: EditorView.scrollIntoView(Math.min(first.fromB, view.state.doc.length), { y: "center" }) });
    },
    close: () => view.destroy(),
  };
}

/** The button that reverts a difference. To accept one, nothing has to be done, so there is no button. */
function undoButton(type: "reject" | "accept", act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement(type === "reject" ? "button" : "span");
  if (type === "accept") return button;
  button.className = "take-back";
  button.textContent = "Revert";
  button.onmousedown = act;
  return button;
}
