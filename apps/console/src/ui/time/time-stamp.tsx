import { Tooltip } from "@mantine/core";
import { formatAge, formatTime, formatTimeAndZone } from "#ui/words/format.ts";
import { NoValue } from "#ui/words/status.tsx";
import classes from "./time-stamp.module.css";
import { useNow } from "./use-now.ts";

/** How long ago, with the local time and UTC on hover and focus; `none` where it never was. */
export function TimeStamp({ at, none }: { readonly at: string | null; readonly none?: string }) {
  const now = useNow();
  if (at === null) {
    return <NoValue>{none}</NoValue>;
  }
  const time = new Date(at);
  return (
    <Tooltip label={<TwoTimes time={time} />} multiline>
      <time dateTime={at} className={classes.age}>
        {formatAge(time, now)}
      </time>
    </Tooltip>
  );
}

/** The local time to the second, with UTC on hover: where the moment matters more than how long ago it was. */
export function ExactTime({ at }: { readonly at: string }) {
  const time = new Date(at);
  return (
    <Tooltip label={formatUtc(time)}>
      <time dateTime={at}>{formatTime(time)}</time>
    </Tooltip>
  );
}

function TwoTimes({ time }: { readonly time: Date }) {
  return (
    <>
      {formatTimeAndZone(time)}
      <br />
      {formatUtc(time)}
    </>
  );
}

/** `2026-11-21 08:30:00.000 UTC` */
export function formatUtc(time: Date): string {
  return time.toISOString().replace("T", " ").replace("Z", " UTC");
}
