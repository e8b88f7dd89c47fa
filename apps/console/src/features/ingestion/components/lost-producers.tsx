import { lostProducerListSchema } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { encoded, observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./lost-producers.module.css";

const EVERY_MS = 30_000;

/** Says, where the traces of processes would be that ended without a goodbye, that some may be missing. */
export function LostProducers({ projectId }: { readonly projectId: string }) {
  const { data } = useQuery({
    queryKey: ["projects", projectId, "lost producers"],
    queryFn: answerTo(observability.get(encoded`/api/v1/projects/${projectId}/lost-producers`, { answer: lostProducerListSchema })),
    refetchInterval: EVERY_MS,
  });
  if (data === undefined || data.total === 0) {
    return null;
  }
  return (
    <details className={classes.lost}>
      <summary>
        {plural(data.total, "process", "processes")} ended without a goodbye in the last 24 hours; what {data.total === 1 ? "it" : "they"}{" "}
        had not sent yet is missing here.
      </summary>
      <ul>
        {data.items.map(({ producer_id: id, producer: { host, pid, sdk, runtime }, last_event_at: at }) => (
          <li key={id}>
            <SafeText text={host} />, process {pid}, heard of last <TimeStamp at={at} />{" "}
            <Dimmed span>
              <SafeText text={`${sdk}, ${runtime}`} />
            </Dimmed>
          </li>
        ))}
      </ul>
    </details>
  );
}
