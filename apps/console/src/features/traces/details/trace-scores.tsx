import { ActionIcon, Alert, Anchor, Button, Group, Stack, Title } from "@mantine/core";
import { type Score, type CreateScoreRequest, scorePageSchema, scoreSchema } from "@sightline/observability/contract";
import { IconTrash } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { isGiven, NO_SCORE, ScoreFields, scoreNamesKey, toGivenScore } from "#features/traces/scores/score-fields.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { encoded, observability } from "#http/calls.ts";
import { readAllPages } from "#http/queries.ts";
import { useChange } from "#http/use-change.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./trace-scores.module.css";

type TraceScoresProps = {
  readonly projectId: string;
  readonly traceId: string;
  /** The reader, who can delete their own scores. */
  readonly userId: string | undefined;
  /** Viewers read scores and give none. */
  readonly mayScore: boolean;
  /** Beside each score. */
  readonly renderComments?: (score: Score) => ReactNode;
};

/** What the application and people gave a trace; more can be given to it. */
export function TraceScores({ projectId, traceId, userId, mayScore, renderComments }: TraceScoresProps) {
  const scores = useQuery(scoresQuery(projectId, traceId));
  const heading = useId();
  const remove = useChange({
    send: (score: Score) => observability.delete(scoresOf(projectId) + encoded`/${score.id}`),
    refreshes: keysOf(projectId, traceId),
  });
  return (
    <Stack component="section" gap="sm" aria-labelledby={heading}>
      <Title order={3} id={heading}>
        Scores
      </Title>
      {remove.error !== null && <Alert color="red">{remove.error.message}</Alert>}
      {scores.data === undefined && (
        <Unanswered query={scores} failed="The scores could not be loaded" loading={<LoadingRows rows={2} height={28} />} />
      )}
      {scores.data?.length === 0 && <Dimmed>No scores yet.</Dimmed>}
      {scores.data !== undefined && scores.data.length > 0 && (
        <ul className={classes.scores}>
          {scores.data.map((score) => (
            <li key={score.id} className={classes.score}>
              <div className={classes.words}>
                <div>
                  <span className={classes.name}>{score.name}</span> <span className={classes.value}>{valueOf(score)}</span>
                </div>
                {score.comment !== null && <div>{score.comment}</div>}
                <div className={classes.about}>
                  Of {score.observation_id === null ? "the trace" : "a step"}, by{" "}
                  {score.judge_trace_id === null ? (
                    authorInWords(score, userId)
                  ) : (
                    <Anchor
                      component={Link}
                      to="/projects/$projectId/traces/$traceId"
                      params={{ projectId, traceId: score.judge_trace_id }}
                      inherit
                      underline="always"
                    >
                      a judge (version {score.evaluator_version})
                    </Anchor>
                  )}
                  {score.is_calibrated === false && ", not calibrated"}, <TimeStamp at={score.scored_at} />
                </div>
              </div>
              {renderComments?.(score)}
              {score.author !== null && score.author === userId && (
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={`Delete the score ${score.name}`}
                  loading={remove.isPending && remove.variables.id === score.id}
                  onClick={() => remove.mutate(score)}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayScore && <AddScore projectId={projectId} traceId={traceId} />}
    </Stack>
  );
}

function AddScore({ projectId, traceId }: Pick<TraceScoresProps, "projectId" | "traceId">) {
  const [isOpen, setOpen] = useState(false);
  const [score, setScore] = useState(NO_SCORE);
  const add = useChange({
    send: () => createScore(projectId, { trace_id: traceId, ...toGivenScore(score) }),
    refreshes: keysOf(projectId, traceId),
    onSuccess() {
      setScore({ ...score, value: "", comment: "" });
      setOpen(false);
    },
  });
  if (!isOpen) {
    return (
      <Group>
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          Score the trace…
        </Button>
      </Group>
    );
  }
  return (
    <DialogForm
      change={add}
      failed="It was not scored"
      submit="Score the trace"
      disabled={!isGiven(score)}
      onSubmit={() => add.mutate()}
      onCancel={() => setOpen(false)}
    >
      <ScoreFields projectId={projectId} score={score} onChange={setScore} />
    </DialogForm>
  );
}

function valueOf({ data_type: type, value, text_value: text }: Score): string {
  return text ?? (type === "boolean" ? (value === 1 ? "yes" : "no") : String(value));
}

function authorInWords({ author }: Score, userId: string | undefined): string {
  if (author === null) {
    return "the application";
  }
  return author === userId ? "you" : "a colleague";
}

const scoresOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/scores`;

/** The keys of what another score changes. */
const keysOf = (projectId: string, traceId: string) => [["scores", projectId, traceId], scoreNamesKey(projectId)];

/** What the application and people gave a trace and its steps, newest first. */
function scoresQuery(projectId: string, traceId: string) {
  return queryOptions({
    queryKey: ["scores", projectId, traceId],
    queryFn: readAllPages(observability.get(scoresOf(projectId), { query: { trace_id: traceId }, answer: scorePageSchema })),
  });
}

const createScore = (projectId: string, body: CreateScoreRequest) => observability.post(scoresOf(projectId), { body, answer: scoreSchema });
