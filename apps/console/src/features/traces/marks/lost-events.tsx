import { Anchor, Popover, Tooltip, UnstyledButton } from "@mantine/core";
import type { TraceGap } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { formatCount, plural } from "#ui/words/format.ts";
import { Status } from "#ui/words/status.tsx";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { missedAtOnce } from "./missed-at-once.ts";
import classes from "./lost-events.module.css";

const WHY = "These events never arrived: dropped by the producer, or trimmed from the stream before they were read.";

type Props = { readonly projectId: string; readonly count: number };

/** Says that a trace in a list is not whole; leads to what the project lost. */
export function LostEventsBadge({ projectId, count }: Props) {
  return count === 0 ? null : (
    <Tooltip label={`${plural(count, "event", "events")} lost. ${WHY}`} multiline maw={300}>
      <Link
        to="/projects/$projectId/settings"
        params={{ projectId }}
        search={{ section: "gaps" }}
        className={classes.badge}
        aria-label={`${formatCount(count)} lost: see which events are missing`}
      >
        <Status tone="warn">{formatCount(count)} lost</Status>
      </Link>
    </Tooltip>
  );
}

/** Says that a trace is not whole, and which events are missing; nothing for one that is whole. */
export function LostEvents({ projectId, count, gaps }: Props & { readonly gaps: readonly TraceGap[] }) {
  if (count === 0) {
    return null;
  }
  return (
    <Popover width="min(440px, 100vw - 24px)" position="bottom-start" withArrow>
      <Popover.Target>
        <UnstyledButton className={classes.badge}>
          <Status tone="warn">{plural(count, "event lost", "events lost")}</Status>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.gaps} aria-label="Lost events">
        <p>{WHY} Some of these may belong to this trace.</p>
        <ul>
          {missedAtOnce(gaps).map(({ producer_id: producer, found_at: at, numbers }) => (
            <li key={`${producer} ${at}`}>
              {numbers}
              <div className={classes.missed}>
                missed since <ExactTime at={at} />, of producer <CopyableId value={producer} label="producer id" />
              </div>
            </li>
          ))}
        </ul>
        <Anchor component={Link} fz="inherit" to="/projects/$projectId/settings" params={{ projectId }} search={{ section: "gaps" }}>
          All events this project lost
        </Anchor>
      </Popover.Dropdown>
    </Popover>
  );
}
