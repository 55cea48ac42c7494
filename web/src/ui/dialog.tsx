import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./marks/icons.tsx";

/** A modal dialog of the browser, which traps the focus and restores it at the end. */
export function Dialog(props: { label: string; class?: string; title?: boolean; onClose: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  // The browser reports a close only in a later task; until then a key would find the dialog open, and be lost.
  const close = () => {
    if (isGone.current) return;
    isGone.current = true;
    element.current?.close();
    props.onClose();
  };
  // Runs before anything more can be typed: it would go to the page behind the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => {
      // Closed, not only removed, so that the browser returns the focus to the element that had it.
      isGone.current = true;
      dialog?.close();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard's way to close a dialog is Escape, which the browser does
    <dialog
      ref={element}
      class={props.class ?? ""}
      aria-label={props.label}
      onCancel={close}
      onClose={close}
      onKeyDownCapture={(event) => {
        // The key that opened the dialog is still held, which is not an answer.
        if (event.key === "Enter" && event.repeat) event.preventDefault();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <div class="dialog-inside">
        {props.title && (
          <header class="dialog-title">
            <h2>{props.label}</h2>
            <IconButton icon="close" label="Close" onClick={close} />
          </header>
        )}
        {props.children}
      </div>
    </dialog>
  );
}

interface Question {
  title: string;
  text: string;
  detail?: string;
  yes: string;
  /** The action ends something: Enter cancels, so that a line typed by mistake does not confirm it. */
  isDanger?: boolean;
  answer: (yes: boolean) => void;
}
const question = signal<Question | null>(null);

/** Asks for confirmation of something that cannot be undone; resolves with the answer. */
export function confirm(asked: Omit<Question, "answer">): Promise<boolean> {
  question.value?.answer(false);
  return new Promise((resolve) => {
    question.value = {
      ...asked,
      answer: (yes) => {
        question.value = null;
        resolve(yes);
      },
    };
  });
}

export function ConfirmDialog() {
  const asked = question.value;
  if (!asked) return null;
  return (
    <Dialog label={asked.title} title onClose={() => question.value?.answer(false)}>
      {asked.text && <p>{asked.text}</p>}
      {asked.detail && <pre class="quoted">{asked.detail}</pre>}
      <div class="dialog-buttons">
        <button type="button" data-first={asked.isDanger || undefined} onClick={() => asked.answer(false)}>
          Cancel
        </button>
        <button
          type="button"
          class={asked.isDanger ? "danger" : "strong"}
          data-first={!asked.isDanger || undefined}
          onClick={() => asked.answer(true)}
        >
          {asked.yes}
        </button>
      </div>
    </Dialog>
  );
}
