import { Choice } from "../../../ui/choice.tsx";
import { marksOn } from "./output-marks.ts";

/** Whether processes with new output are marked. */
export function MarksSetting() {
  return (
    <Choice
      legend="New output"
      setting={marksOn}
      values={[
        [true, "mark processes"],
        [false, "no marks"],
      ]}
    />
  );
}
