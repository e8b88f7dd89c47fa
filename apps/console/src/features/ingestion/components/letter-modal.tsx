import { Alert, Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { DeadLetter } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dimmed } from "#ui/kit/dimmed.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useChange } from "#http/use-change.ts";
import { deadLetterQuery, deleteDeadLetter, fixDeadLetter, lettersKey, replayDeadLetter } from "#features/ingestion/api/dead-letters.ts";
import { fromEditable, toEditable } from "#features/ingestion/entry-text.ts";
import { LETTER_STATES } from "#features/ingestion/letter-states.ts";
import { asSentence } from "#ui/words/format.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { Status } from "#ui/kit/status.tsx";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import classes from "./letter-modal.module.css";

type ModalProps = { readonly projectId: string; readonly letterId: string | undefined; readonly onClose: () => void };

/** One entry: what it says and why it was set aside; mended, put on the stream again, or deleted. */
export function LetterModal({ projectId, letterId, onClose }: ModalProps) {
  return (
    <Modal centered={false} opened={letterId !== undefined} onClose={onClose} title="Dead letter" size={860}>
      {letterId !== undefined && <Letter projectId={projectId} id={letterId} onClose={onClose} />}
    </Modal>
  );
}

function Letter({ projectId, id, onClose }: { readonly projectId: string; readonly id: string; readonly onClose: () => void }) {
  const letter = useQuery(deadLetterQuery(projectId, id));
  if (letter.data !== undefined) {
    return <Opened key={letter.data.fixed_at} projectId={projectId} letter={letter.data} onClose={onClose} />;
  }
  return <Unanswered query={letter} failed="The entry could not be loaded" loading={<LoadingRows rows={4} />} />;
}

function Opened({ projectId, letter, onClose }: { readonly projectId: string; readonly letter: DeadLetter; readonly onClose: () => void }) {
  const editable = letter.state === "deleted" ? undefined : toEditable(letter.entry);
  const [text, setText] = useState(editable ?? "");
  const [isDeleting, setDeleting] = useState(false);
  const isChanged = editable !== undefined && text !== editable;
  const edited = fromEditable(text);
  const { label, tone } = LETTER_STATES[letter.state];
  const refreshes = [lettersKey(projectId)];

  const save = useChange({
    send: () => ("fields" in edited ? fixDeadLetter(letter.id, edited.fields) : Promise.reject(new Error(edited.problem))),
    refreshes,
    onSuccess: () =>
      notifications.show({ color: "green", title: "The dead letter was fixed", message: "It can be read now. Replay it to write it." }),
  });
  const replay = useChange({
    send: () => replayDeadLetter(letter.id),
    refreshes,
    onSuccess() {
      notifications.show({
        color: "green",
        title: "The event is back on the stream",
        message: "It will be masked and written like any other.",
      });
      onClose();
    },
  });
  const remove = useChange({ send: () => deleteDeadLetter(letter.id), refreshes, onSuccess: onClose });
  const failure = save.error ?? replay.error ?? remove.error;

  return (
    <Stack gap="md">
      <Group gap="lg">
        <Status tone={tone}>{label}</Status>
        <Dimmed>
          Set aside <ExactTime at={letter.created_at} />
          {letter.fixed_at !== null && (
            <>
              , fixed <ExactTime at={letter.fixed_at} />
            </>
          )}
          {letter.replayed_at !== null && (
            <>
              , replayed <ExactTime at={letter.replayed_at} />
            </>
          )}
        </Dimmed>
      </Group>
      <Alert color="yellow" title="Reason">
        <span className={classes.reason}>{asSentence(letter.reason)}</span>
      </Alert>
      {editable !== undefined && (
        <Textarea
          label="Its fields"
          description="As it arrived, unmasked: only project owners can see it. All fields are text; the body is shown as JSON."
          classNames={{ input: classes.text ?? "" }}
          rows={16}
          spellCheck={false}
          readOnly={letter.state !== "open"}
          {...typedInto(text, setText)}
          error={isChanged && "problem" in edited ? edited.problem : undefined}
        />
      )}
      {editable === undefined && letter.state !== "deleted" && (
        <Textarea
          label={`The first part of its ${letter.entry_length} characters`}
          description="It is too long to fix here; use the API instead."
          classNames={{ input: classes.text ?? "" }}
          rows={12}
          readOnly
          value={letter.entry.slice(0, 20_000)}
        />
      )}
      {letter.state === "deleted" && <Text c="dimmed">Its contents were deleted.</Text>}
      {failure !== null && (
        <Alert color="red" role="alert" title={save.error === null ? "That did not work" : "It would fail again"}>
          <span className={classes.reason}>{asSentence(failure.message)}</span>
        </Alert>
      )}
      {isDeleting ? (
        <Group justify="flex-end" gap="xs">
          <Text size="sm">Delete its contents? This cannot be undone.</Text>
          <Button variant="default" onClick={() => setDeleting(false)} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </Group>
      ) : (
        <Group justify="flex-end" gap="xs">
          {letter.state !== "deleted" && (
            <Button variant="default" onClick={() => setDeleting(true)}>
              Delete…
            </Button>
          )}
          {isChanged && (
            <Button variant="default" onClick={() => setText(editable)}>
              Undo
            </Button>
          )}
          {letter.state === "open" && isChanged && (
            <Button loading={save.isPending} disabled={"problem" in edited} onClick={() => save.mutate()}>
              Save
            </Button>
          )}
          {letter.state === "open" && !isChanged && (
            <Button loading={replay.isPending} disabled={!letter.is_whole} onClick={() => replay.mutate()}>
              Replay
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}
