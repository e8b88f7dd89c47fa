import { Anchor, Button } from "@mantine/core";
import type { SpokenText, Turn } from "@sightline/observability/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Message, type ShownMessage } from "#features/traces/messages/message.tsx";
import { scoreInWords } from "#features/traces/list/cell.tsx";
import { kindLabel } from "#ui/words/step-kind.ts";
import { TranscriptEntries, transcriptQuery } from "#features/traces/transcript/trace-transcript.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { formatCost, formatCount, formatDuration, plural } from "#ui/words/format.ts";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./turn-list.module.css";

/** The traces of a session as a conversation: what was asked, what came back, and one click away what happened between. */
export function TurnList({ projectId, turns }: { readonly projectId: string; readonly turns: readonly Turn[] }) {
  return (
    <ol className={classes.list} aria-label="Turns">
      {turns.map((turn) => (
        <TurnItem key={turn.id} projectId={projectId} turn={turn} />
      ))}
    </ol>
  );
}

type TurnProps = { readonly projectId: string; readonly turn: Turn };

function TurnItem({ projectId, turn }: TurnProps) {
  const [isOpen, setOpen] = useState(false);
  const facts = [
    turn.duration_ms === null ? undefined : formatDuration(turn.duration_ms),
    turn.input_tokens === null && turn.output_tokens === null
      ? undefined
      : `${formatCount((turn.input_tokens ?? 0) + (turn.output_tokens ?? 0))} tokens`,
    turn.cost === null ? undefined : formatCost(turn.cost),
    ...turn.scores.map(scoreInWords),
  ].filter((fact) => fact !== undefined);
  return (
    <li className={classes.turn} data-failed={turn.status === "failure" || undefined}>
      <div className={classes.head}>
        <Anchor component={Link} inherit fw={600} to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId: turn.id }}>
          <SafeText text={turn.name} />
        </Anchor>
        <TraceStatus status={turn.status} />
        <span className={classes.facts}>{facts.join(" · ")}</span>
        <span className={classes.when}>
          <ExactTime at={turn.started_at} />
        </span>
      </div>
      {turn.asked !== null && <Message message={messageOf("user", turn.asked)} />}
      {turn.observations > 0 && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          className={classes.fold}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide" : "Show"} model and tool calls ({plural(turn.observations, "step", "steps")})
        </Button>
      )}
      {isOpen && <Calls projectId={projectId} traceId={turn.id} />}
      {turn.answered !== null && <Message message={messageOf("assistant", turn.answered)} />}
      <Failure projectId={projectId} turn={turn} />
      {turn.asked === null && turn.answered === null && turn.status !== "running" && (
        <p className={classes.note}>What was asked and answered is not recorded.</p>
      )}
    </li>
  );
}

function Failure({ projectId, turn: { id, status, error, failed_step: step } }: TurnProps) {
  const message = step?.error ?? (status === "failure" ? error : null);
  if (step === null && message === null) {
    return null;
  }
  return (
    <div className={classes.failure} data-recovered={status !== "failure" || undefined}>
      {step !== null && (
        <span>
          {status === "failure" ? "Failed at" : "Went on after a failure at"}{" "}
          <Anchor
            component={Link}
            inherit
            underline="always"
            to="/projects/$projectId/traces/$traceId"
            params={{ projectId, traceId: id }}
            search={{ observation: step.id }}
          >
            {kindLabel(step.kind)} {step.name}
          </Anchor>
        </span>
      )}
      {message !== null && (
        <pre>
          <SafeText text={message} />
        </pre>
      )}
    </div>
  );
}

/** What models and tools were given and said in a turn. */
function Calls({ projectId, traceId }: { readonly projectId: string; readonly traceId: string }) {
  const list = useInfiniteQuery(transcriptQuery(projectId, traceId));
  const navigate = useNavigate();
  const entries = list.data?.pages.flatMap(({ items }) => items);
  if (entries === undefined) {
    return <Unanswered query={list} failed="The calls could not be loaded" loading={<LoadingRows rows={3} height={48} />} />;
  }
  if (entries.length === 0) {
    return <p className={classes.note}>No model or tool calls.</p>;
  }
  return (
    <div className={classes.calls}>
      <TranscriptEntries
        entries={entries}
        selected={undefined}
        onSelect={(observation) =>
          void navigate({ to: "/projects/$projectId/traces/$traceId", params: { projectId, traceId }, search: { observation } })
        }
      />
      {list.hasNextPage && <LoadMore list={list} />}
    </div>
  );
}

function messageOf(role: "user" | "assistant", { text, characters }: NonNullable<SpokenText>): ShownMessage {
  const part = { type: "text" as const, text, characters, name: null, call_id: null, is_error: false, media_type: null };
  return { side: role === "user" ? "input" : "output", role, name: null, parts: [part] };
}
