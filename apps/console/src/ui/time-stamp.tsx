import { Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { formatAge } from "./format.ts";

const TICK_MS = 15_000;

/** How long ago, with the local time and UTC on hover and focus. */
export function TimeStamp({ at }: { readonly at: string }) {
  const now = useNow();
  const time = new Date(at);
  return (
    <Tooltip label={<TwoTimes time={time} />} multiline>
      <time dateTime={at}>{formatAge(time, now)}</time>
    </Tooltip>
  );
}

function TwoTimes({ time }: { readonly time: Date }) {
  return (
    <>
      {time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" })}
      <br />
      {time.toISOString().replace("T", " ").replace("Z", " UTC")}
    </>
  );
}

function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
