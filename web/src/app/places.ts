import type { Place } from "../actions/page-feature.ts";
import { features } from "../features/index.ts";
import { current } from "../state/navigation.ts";
import { typeOf, type View, viewRefusal } from "../state/views.ts";

const CONFIG: Place = { view: { kind: "config" }, word: "Configuration" };
const ofFeatures = features.flatMap(({ places = [] }) => places);

const inRow = ofFeatures.filter(({ isInList }) => !isInList);

const top = [...inRow.filter(({ isLast }) => !isLast), CONFIG, ...inRow.filter(({ isLast }) => isLast)];

const isShown = ({ view }: Place): boolean => viewRefusal(view) === null;

/** Entries of the navigation that the user may open: in the row at the top, and in the list of a phone. */
export const topPlaces = (): Place[] => top.filter(isShown);
export const phonePlaces = (): Place[] => [...ofFeatures, CONFIG].filter(isShown);

/** Whether the navigation entry of a view is the current one. */
export const isAt = ({ kind }: View): boolean => (typeOf(current.value.kind).under ?? current.value.kind) === kind;
