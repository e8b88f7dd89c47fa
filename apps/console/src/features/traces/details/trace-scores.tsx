import { ActionIcon, Alert, Autocomplete, Button, Group, NumberInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { type Score, type CreateScoreRequest, scoreNamesSchema, scorePageSchema, scoreSchema } from "@sightline/observability/contract";
import { IconTrash } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { encoded, observability } from "#http/calls.ts";
import { readAllPages, answerTo, onlyItems } from "#http/queries.ts";
import { useChange } from "#http/use-change.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./trace-scores.module.css";

type TraceScoresProps = {
  readonly projectId: string;
  readonly traceId: string;
  /** The reader, who can delete their own scores. */
  readonly userId: string | undefined;
  /** Viewers read scores and give none. */
  readonly mayScore: boolean;
};

/** What the application and people gave a trace; more can be given to it. */
export function TraceScores({ projectId, traceId, userId, mayScore }: TraceScoresProps) {
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
      {scores.data?.length === 0 && <Dimmed>Nobody has scored it yet.</Dimmed>}
      {scores.data !== undefined && scores.data.length > 0 && (
        <ul className={classes.scores}>
          {scores.data.map((score) => (
            <li key={score.id} className={classes.score}>
              <div className={classes.words}>
                <div>
                  <span className={classes.name}>{score.name}</span>{" "}
                  <span className={classes.value}>{score.text_value ?? score.value}</span>
                </div>
                {score.comment !== null && <div>{score.comment}</div>}
                <div className={classes.about}>
                  Of {score.observation_id === null ? "the trace" : "a step"}, by {authorInWords(score, userId)},{" "}
                  <TimeStamp at={score.scored_at} />
                </div>
              </div>
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
  const names = useQuery(scoreNamesQuery(projectId));
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [value, setValue] = useState<number | string>("");
  const [comment, setComment] = useState("");
  const add = useChange({
    send: (given: number) =>
      createScore(projectId, {
        trace_id: traceId,
        name: name.trim(),
        value: given,
        ...(comment.trim() === "" ? {} : { comment: comment.trim() }),
      }),
    refreshes: keysOf(projectId, traceId),
    onSuccess() {
      setValue("");
      setComment("");
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
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof value === "number" && name.trim() !== "") {
          add.mutate(value);
        }
      }}
    >
      <Group align="flex-end" gap="xs">
        <Autocomplete
          label="Name"
          data={[...(names.data ?? [])]}
          value={name}
          onChange={setName}
          maxLength={200}
          w={150}
          required
          autoFocus
        />
        <NumberInput label="Value" value={value} onChange={setValue} w={100} required />
        <TextInput label="Comment" {...typedInto(comment, setComment)} maxLength={4_000} flex={1} miw={140} />
        <Button type="submit" variant="default" loading={add.isPending}>
          Score the trace
        </Button>
        <Button variant="subtle" color="gray" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </Group>
      {add.error !== null && (
        <Text size="sm" c="var(--sl-bad)" role="alert" mt={6}>
          {add.error.message}
        </Text>
      )}
    </form>
  );
}

function authorInWords({ author }: Score, userId: string | undefined): string {
  if (author === null) {
    return "the application";
  }
  return author === userId ? "you" : "a colleague";
}

const scoresOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/scores`;

/** The keys of what another score changes. */
const keysOf = (projectId: string, traceId: string) => [
  ["scores", projectId, traceId],
  ["score names", projectId],
];

/** What the application and people gave a trace and its steps, newest first. */
function scoresQuery(projectId: string, traceId: string) {
  return queryOptions({
    queryKey: ["scores", projectId, traceId],
    queryFn: readAllPages(observability.get(scoresOf(projectId), { query: { trace_id: traceId }, answer: scorePageSchema })),
  });
}

function scoreNamesQuery(projectId: string) {
  return queryOptions({
    queryKey: ["score names", projectId],
    queryFn: answerTo(observability.get(`${scoresOf(projectId)}/names`, { answer: onlyItems(scoreNamesSchema) })),
    staleTime: 60_000,
  });
}

const createScore = (projectId: string, body: CreateScoreRequest) => observability.post(scoresOf(projectId), { body, answer: scoreSchema });
