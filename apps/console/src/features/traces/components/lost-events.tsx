import { Popover, Tooltip, UnstyledButton } from "@mantine/core";
import type { TraceGap } from "@sightline/observability/contract";
import { CopyableId } from "#ui/copyable.tsx";
import { plural } from "#ui/format.ts";
import { Status } from "#ui/status.tsx";
import { ExactTime } from "#ui/time-stamp.tsx";
import classes from "./lost-events.module.css";

const WHY = "These events never arrived: dropped by the producer, or trimmed from the stream before they were read.";

/** Says that a trace is not whole, and by how much; nothing for one that is. With the gaps it says which events, too. */
export function LostEvents({ count, gaps = [] }: { readonly count: number; readonly gaps?: readonly TraceGap[] }) {
  if (count === 0) {
    return null;
  }
  const mark = <Status tone="warn">{plural(count, "event lost", "events lost")}</Status>;
  if (gaps.length === 0) {
    return (
      <Tooltip label={WHY} multiline maw={300}>
        <span className={classes.badge} tabIndex={0}>
          {mark}
        </span>
      </Tooltip>
    );
  }
  return (
    <Popover width={360} position="bottom-start" withArrow>
      <Popover.Target>
        <UnstyledButton className={classes.badge}>{mark}</UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.gaps} aria-label="Lost events">
        <p>{WHY} Some of these may belong to this trace.</p>
        <ul>
          {gaps.map(({ producer_id: producer, first_seq: first, last_seq: last, found_at: at }) => (
            <li key={`${producer} ${first}`}>
              {first === last ? `Number ${first}` : `Numbers ${first} to ${last}`} of the producer{" "}
              <CopyableId value={producer} label="producer id" />, missed since <ExactTime at={at} />
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
