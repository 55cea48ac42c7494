import { signal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../src/base/errors.ts";
import { Button } from "./button.tsx";

interface LazyView<Props> {
  Body: (props: Props) => ComponentChildren;
  /** Loads the view's code before it is opened. A failure is shown when it is opened. */
  preload: () => void;
}

/** A view whose code is loaded when it is first opened, so that the page starts without it. */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyView<Props> {
  let Loaded: ComponentType<Props> | null = null;
  const loaded = async () => {
    Loaded ??= await load();
  };
  function Body(props: Props) {
    const [, renderAgain] = useState({});
    const [problem, setProblem] = useState<string | null>(null);
    useEffect(() => {
      let isOver = false;
      if (Loaded !== null) return;
      loaded().then(
        () => !isOver && renderAgain({}),
        (error: unknown) => !isOver && setProblem(messageOf(error)),
      );
      return () => {
        isOver = true;
      };
    }, []);
    if (Loaded !== null) return <Loaded {...props} />;
    return problem === null ? <p class="empty nothing">Loading …</p> : <NotLoaded problem={problem} />;
  }
  return { Body, preload: () => void loaded().catch(() => {}) };
}

/** A part of a view whose code is loaded when it is first drawn. Until then, and if that fails, it draws nothing. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | null>(null);
  let isLoading = false;
  const start = () => {
    if (isLoading) return;
    isLoading = true;
    load().then(
      (part) => {
        loaded.value = part;
      },
      (error: unknown) => {
        isLoading = false;
        console.info("a part of the page could not be loaded:", error);
      },
    );
  };
  return (props) => {
    useEffect(start, []);
    const Loaded = loaded.value;
    return Loaded && <Loaded {...props} />;
  };
}

/** The view's code could not be loaded: a newer manager does not have the files of this page. */
function NotLoaded({ problem }: { problem: string }) {
  return (
    <div class="empty nothing" role="alert">
      <p>This view could not be loaded: {problem}. Reload the page.</p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </div>
  );
}
