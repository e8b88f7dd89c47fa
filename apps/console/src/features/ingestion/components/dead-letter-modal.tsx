import { Alert, Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { DeadLetter } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { useChange } from "#http/use-change.ts";
import { deadLetterQuery, deadLettersKey, deleteDeadLetter, replayDeadLetter } from "#features/ingestion/api/dead-letters.ts";
import { formatEntry } from "#features/ingestion/entry-text.ts";
import { DEAD_LETTER_STATES } from "#features/ingestion/dead-letter-states.ts";
import { asSentence } from "#ui/words/format.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { Status } from "#ui/words/status.tsx";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import classes from "./dead-letter-modal.module.css";

type ModalProps = { readonly projectId: string; readonly id: string | undefined; readonly onClose: () => void };

/** One entry: what it says and why it was set aside; put on the stream again, or deleted. */
export function DeadLetterModal({ projectId, id, onClose }: ModalProps) {
  return (
    <Modal centered={false} opened={id !== undefined} onClose={onClose} title="Dead letter" size={860}>
      {id !== undefined && <LoadedDeadLetter projectId={projectId} id={id} onClose={onClose} />}
    </Modal>
  );
}

function LoadedDeadLetter({ projectId, id, onClose }: { readonly projectId: string; readonly id: string; readonly onClose: () => void }) {
  const query = useQuery(deadLetterQuery(projectId, id));
  if (query.data !== undefined) {
    return <OpenDeadLetter projectId={projectId} deadLetter={query.data} onClose={onClose} />;
  }
  return <Unanswered query={query} failed="The entry could not be loaded" loading={<LoadingRows rows={4} />} />;
}

type OpenProps = { readonly projectId: string; readonly deadLetter: DeadLetter; readonly onClose: () => void };

function OpenDeadLetter({ projectId, deadLetter, onClose }: OpenProps) {
  const { label, tone } = DEAD_LETTER_STATES[deadLetter.state];
  return (
    <Stack gap="md">
      <Group gap="lg">
        <Status tone={tone}>{label}</Status>
        <Dimmed>
          Set aside <ExactTime at={deadLetter.created_at} />
          {deadLetter.replayed_at !== null && (
            <>
              , replayed <ExactTime at={deadLetter.replayed_at} />
            </>
          )}
        </Dimmed>
      </Group>
      <Alert color="yellow" title="Reason">
        <span className={classes.reason}>{asSentence(deadLetter.reason)}</span>
      </Alert>
      {deadLetter.state === "deleted" ? <Text c="dimmed">Its contents were deleted.</Text> : <Entry deadLetter={deadLetter} />}
      <Actions projectId={projectId} deadLetter={deadLetter} onClose={onClose} />
    </Stack>
  );
}

function Entry({ deadLetter }: { readonly deadLetter: DeadLetter }) {
  const text = formatEntry(deadLetter.entry);
  return (
    <Textarea
      label={text === undefined ? `The first part of its ${deadLetter.entry_length} characters` : "Its fields"}
      description="As it arrived, unmasked: only project owners can see it. All fields are text; the body is shown as JSON."
      classNames={{ input: classes.text ?? "" }}
      rows={16}
      readOnly
      value={text ?? deadLetter.entry.slice(0, 20_000)}
    />
  );
}

function Actions({ projectId, deadLetter: { id, state, is_whole: isWhole }, onClose }: OpenProps) {
  const [isDeleting, setDeleting] = useState(false);
  const refreshes = [deadLettersKey(projectId)];
  const replay = useChange({
    send: () => replayDeadLetter(id),
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
  const remove = useChange({ send: () => deleteDeadLetter(id), refreshes, onSuccess: onClose });
  const failure = replay.error ?? remove.error;
  return (
    <>
      {failure !== null && (
        <Alert color="red" role="alert" title="That did not work">
          <span className={classes.reason}>{asSentence(failure.message)}</span>
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        {isDeleting ? (
          <>
            <Text size="sm">Delete its contents? This cannot be undone.</Text>
            <Button variant="default" onClick={() => setDeleting(false)} data-autofocus>
              Keep it
            </Button>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              Delete
            </Button>
          </>
        ) : (
          state !== "deleted" && (
            <Button variant="default" onClick={() => setDeleting(true)}>
              Delete…
            </Button>
          )
        )}
        {!isDeleting && state === "open" && (
          <Button loading={replay.isPending} disabled={!isWhole} onClick={() => replay.mutate()}>
            Replay
          </Button>
        )}
      </Group>
    </>
  );
}
