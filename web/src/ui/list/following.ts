import type { TargetedEvent, TargetedKeyboardEvent, TargetedPointerEvent, TargetedWheelEvent } from "preact";
import { useRef } from "preact/hooks";

/** Distance from the end that counts as the end, px. */
const NEAR_END_PX = 4;

/** Events of a scrolling box that follows its newest line: a move up ends that, and reaching the end begins it again. */
export function useFollowing(onFollow: (follows: boolean) => void) {
  const lastTop = useRef(0);
  return {
    onWheel: (event: TargetedWheelEvent<HTMLElement>) => {
      if (event.deltaY < 0) onFollow(false);
    },
    onTouchMove: () => onFollow(false),
    onPointerDown: (event: TargetedPointerEvent<HTMLElement>) => {
      if (event.target === event.currentTarget) onFollow(false);
    },
    onKeyDown: ({ key }: TargetedKeyboardEvent<HTMLElement>) => {
      if (["ArrowUp", "PageUp", "Home"].includes(key)) onFollow(false);
      else if (key === "End") onFollow(true);
    },
    onScroll: ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: TargetedEvent<HTMLElement, Event>) => {
      // Only when scrolling down: the first pixels away from the end also count as the end.
      if (scrollTop > lastTop.current && scrollHeight - scrollTop - clientHeight < NEAR_END_PX) onFollow(true);
      lastTop.current = scrollTop;
    },
  };
}
