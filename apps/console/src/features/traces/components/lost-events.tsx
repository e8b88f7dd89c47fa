import { Tooltip } from "@mantine/core";
import { plural } from "#ui/format.ts";
import { Status } from "#ui/status.tsx";
import classes from "./lost-events.module.css";

/** Says that a trace is not whole, and by how much; nothing for one that is. */
export function LostEvents({ count }: { readonly count: number }) {
  return count === 0 ? null : (
    <Tooltip
      label="These events never arrived: dropped by the producer, or trimmed from the stream before they were read."
      multiline
      maw={300}
    >
      <span className={classes.badge} tabIndex={0}>
        <Status tone="warn">{plural(count, "event lost", "events lost")}</Status>
      </span>
    </Tooltip>
  );
}
