import { signal } from "@preact/signals";
import { logOut, user } from "../state/login.ts";
import { current, drawerOpen, show } from "../state/navigation.ts";
import { typeOf } from "../state/views.ts";
import { Dialog } from "../ui/dialog.tsx";
import type { IconName } from "../ui/marks/icon-paths.ts";
import { Icon } from "../ui/marks/icons.tsx";
import { openPalette } from "./palette/palette.tsx";
import { phonePlaces } from "./places.ts";
import { settingsOpen } from "./settings-dialog.tsx";

const moreOpen = signal(false);

/** The navigation of a phone, at the lower edge within reach of a thumb. */
export function PhoneNav() {
  const { kind } = current.value;
  return (
    <nav class="phone-nav" aria-label="Views">
      <Place icon="home" word="Overview" isCurrent={kind === "overview"} onClick={() => show({ kind: "overview" })} />
      <button
        type="button"
        class="flat"
        aria-expanded={drawerOpen.value}
        aria-pressed={drawerOpen.value || kind === "process" || kind === "group"}
        onClick={() => {
          drawerOpen.value = !drawerOpen.value;
        }}
      >
        <Icon name="menu" />
        Processes
      </button>
      <Place icon="search" word="Search" isCurrent={false} onClick={() => openPalette()} />
      <Place icon="log" word="Log" isCurrent={kind === "log"} onClick={() => show({ kind: "log" })} />
      <Place
        icon="more"
        word="More"
        isCurrent={!["overview", "process", "group", "log"].includes(kind)}
        onClick={() => {
          moreOpen.value = true;
        }}
      />
      {moreOpen.value && <More />}
    </nav>
  );
}

function Place({ icon, word, isCurrent, onClick }: { icon: IconName; word: string; isCurrent: boolean; onClick: () => void }) {
  return (
    <button type="button" class="flat" aria-pressed={isCurrent} onClick={onClick}>
      <Icon name={icon} />
      {word}
    </button>
  );
}

type Row = [IconName, string, () => void];

function More() {
  const close = () => {
    moreOpen.value = false;
  };
  const rows: Row[] = [
    ["grid", "All processes", () => show({ kind: "all" })],
    ...phonePlaces().map(({ view, word }): Row => [typeOf(view.kind).icon, word, () => show(view)]),
    [
      "settings",
      "Settings",
      () => {
        settingsOpen.value = true;
      },
    ],
  ];
  if (user !== "") rows.push(["back", `Log out (${user})`, () => void logOut()]);
  return (
    <Dialog label="More" class="more-sheet" title onClose={close}>
      <ul>
        {rows.map(([icon, word, run]) => (
          <li key={word}>
            <button
              type="button"
              class="flat"
              onClick={() => {
                close();
                run();
              }}
            >
              <Icon name={icon} />
              {word}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
