import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import classes from "./answer-notes.module.css";

type AnswerNotesProps = {
  /** Why it is not the whole answer. */
  readonly partial: string | undefined;
  readonly notes: readonly string[];
  /** Asking again failed, so what is shown is the answer of before. */
  readonly error: Error | null;
};

/** What whoever asked should know of an answer: that it is not whole, that it is old, how to ask better. */
export function AnswerNotes({ partial, notes, error }: AnswerNotesProps) {
  if (partial === undefined && notes.length === 0 && error === null) {
    return null;
  }
  return (
    <div className={classes.notes}>
      {error !== null && (
        <Alert color="red" role="alert" icon={<IconAlertTriangle size={18} />} p="xs">
          {error.message} What follows is the answer of before.
        </Alert>
      )}
      {partial !== undefined && (
        <Alert color="yellow" role="status" icon={<IconAlertTriangle size={18} />} p="xs">
          {partial}
        </Alert>
      )}
      {notes.map((note) => (
        <p key={note} className={classes.note} role="status">
          <IconInfoCircle size={15} aria-hidden="true" />
          {note}
        </p>
      ))}
    </div>
  );
}
