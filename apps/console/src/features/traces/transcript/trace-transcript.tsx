import { UnstyledButton } from "@mantine/core";
import { type TraceDigest, type TranscriptEntry, transcriptPageSchema } from "@sightline/observability/contract";
import { IconMessages } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { traceUrl } from "#features/traces/api/trace.ts";
import type { TraceViewProps } from "#features/traces/model/trace-view.ts";
import { observability } from "#http/calls.ts";
import { pageByPage } from "#http/queries.ts";
import { formatCount, formatDuration, plural } from "#ui/words/format.ts";
import { EmptyPanel, LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { KindIcon } from "#features/traces/marks/kind-icon.tsx";
import { Message } from "#features/traces/messages/message.tsx";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./trace-transcript.module.css";

/** What was said to models and tools, and what they said, as a conversation. */
export function TraceTranscript({ projectId, trace, selected, onSelect }: TraceViewProps) {
  const list = useInfiniteQuery(transcriptQuery(projectId, trace.id));
  useFollow(trace, list);
  const entries = list.data?.pages.flatMap((page) => page.items);
  if (entries === undefined) {
    return (
      <Unanswered
        query={list}
        failed="The transcript could not be loaded"
        loading={
          <div className={classes.page}>
            <LoadingRows rows={6} height={64} />
          </div>
        }
      />
    );
  }
  if (entries.length === 0) {
    return (
      <EmptyPanel
        icon={<IconMessages />}
        title="Nothing was said here"
        description={trace.status === "running" ? "No model or tool calls yet." : "No model or tool calls in this trace."}
      />
    );
  }
  return (
    <div className={classes.page}>
      <TranscriptEntries entries={entries} selected={selected} onSelect={onSelect} />
      <LoadMore list={list} />
    </div>
  );
}

type EntriesProps = Pick<EntryProps, "onSelect"> & {
  readonly entries: readonly TranscriptEntry[];
  readonly selected: string | undefined;
};

export function TranscriptEntries({ entries, selected, onSelect }: EntriesProps) {
  return (
    <ol className={classes.list} aria-label="Transcript">
      {entries.map((entry) => (
        <Entry key={entry.observation_id} entry={entry} isSelected={entry.observation_id === selected} onSelect={onSelect} />
      ))}
    </ol>
  );
}

/** Asks again when something of a running trace has changed, as long as that is little. */
function useFollow(
  trace: TraceDigest,
  { data, refetch }: { readonly data: { readonly pages: readonly unknown[] } | undefined; readonly refetch: () => unknown },
) {
  const seen = useRef(trace.revision);
  const pages = data?.pages.length ?? 0;
  useEffect(() => {
    if (seen.current !== trace.revision && pages > 0 && pages <= 3) {
      seen.current = trace.revision;
      void refetch();
    }
  }, [trace.revision, pages, refetch]);
}

type EntryProps = { readonly entry: TranscriptEntry; readonly isSelected: boolean; readonly onSelect: (id: string) => void };

function Entry({ entry, isSelected, onSelect }: EntryProps) {
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSelected) {
      place.current?.scrollIntoView({ block: "nearest" });
    }
  }, [isSelected]);
  const facts = [
    entry.kind === "llm" && entry.model !== null && !entry.name.includes(entry.model) ? entry.model : undefined,
    entry.input_tokens === null ? undefined : `${formatCount(entry.input_tokens)} in`,
    entry.output_tokens === null ? undefined : `${formatCount(entry.output_tokens)} out`,
    entry.duration_ms === null ? undefined : formatDuration(entry.duration_ms),
  ].filter((fact) => fact !== undefined);
  return (
    <li ref={place} className={classes.entry} data-selected={isSelected || undefined}>
      <div className={classes.head}>
        <UnstyledButton className={classes.jump} aria-pressed={isSelected} onClick={() => onSelect(entry.observation_id)}>
          <KindIcon kind={entry.kind} />
          <SafeText text={entry.name} />
        </UnstyledButton>
        <span className={classes.facts}>{facts.join(" · ")}</span>
        {entry.status !== "success" && <TraceStatus status={entry.status} />}
      </div>
      {entry.repeated > 0 && (
        <p className={classes.note}>{plural(entry.repeated, "earlier message", "earlier messages")} (repeated as context)</p>
      )}
      {entry.left_out > 0 && (
        <p className={classes.note}>{plural(entry.left_out, "more is", "more are")} left out here; the step has all of it</p>
      )}
      {entry.messages.map((message, index) => (
        <Message key={index} message={message} />
      ))}
      {entry.messages.length === 0 && entry.status !== "running" && entry.error === null && (
        <p className={classes.note}>
          {entry.kind === "llm"
            ? "What was said is not recorded; wrapLlmAdapter() of the SDK records it."
            : "Its arguments and result are not recorded."}
        </p>
      )}
      {entry.error !== null && (
        <pre className={classes.error}>
          <SafeText text={entry.error} />
        </pre>
      )}
    </li>
  );
}

const PAGE_SIZE = 20;

export function transcriptQuery(projectId: string, traceId: string) {
  const query = { limit: PAGE_SIZE };
  const call = observability.get(`${traceUrl(projectId, traceId)}/transcript`, { query, answer: transcriptPageSchema });
  return pageByPage(["trace transcript", projectId, traceId], call);
}
