import type { Place } from "../actions/page-feature.ts";
import { features } from "../features/index.ts";
import { current } from "../state/navigation.ts";
import { typeOf, type View } from "../state/views.ts";

const CONFIG: Place = { view: { kind: "config" }, word: "Configuration" };
const ofFeatures = features.flatMap(({ places = [] }) => places);

/** Entries of the navigation: in the row at the top, and in the list of a phone. */
export const topPlaces = [...ofFeatures.filter(({ isLast }) => !isLast), CONFIG, ...ofFeatures.filter(({ isLast }) => isLast)];
export const phonePlaces = [...ofFeatures, CONFIG];

/** Whether the navigation entry of a view is the current one. */
export const isAt = ({ kind }: View): boolean => (typeOf(current.value.kind).under ?? current.value.kind) === kind;
