import { Anchor, Button, Group, Modal, Stack, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Comment, CommentSubject } from "@sightline/observability/contract";
import { IconMessage } from "@tabler/icons-react";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { meQuery } from "#features/auth/api/me.ts";
import { changeComment, commentsQuery, deleteComment, writeComment } from "#features/comments/api.ts";
import { type Mentionable, cutComment, tellApart, toStored, toTyped } from "#features/comments/comment-text.ts";
import { formatMember, membersQuery, personQuery } from "#features/projects/api/members.ts";
import { projectQuery } from "#features/projects/api/projects.ts";
import { AuthorName } from "#features/projects/components/author-name.tsx";
import type { Call } from "#http/send.ts";
import { useChange } from "#http/use-change.ts";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import { Form } from "#ui/kit/form.tsx";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./comments.module.css";
import { MentionField } from "./mention-field.tsx";

type CommentsProps = { readonly projectId: string; readonly about: CommentSubject };

function useComments({ projectId, about }: CommentsProps) {
  const asked = commentsQuery(projectId, about.within_id);
  const query = useQuery(asked);
  const isAbout = ({ subject, subject_id: id }: Comment) => subject === about.subject && id === about.subject_id;
  return { query, refreshes: [asked.queryKey], comments: query.data?.filter(isAbout).toReversed() ?? [] };
}

/** The comments on something, the oldest first, and a field to write more. */
export function Comments({ projectId, about }: CommentsProps) {
  const { query, comments, refreshes } = useComments({ projectId, about });
  const { data: project } = useQuery(projectQuery(projectId));
  const { data: me } = useQuery(meQuery);
  const people = useMentionable(projectId, comments);
  const role = project?.my_role ?? "viewer";
  return (
    <Stack component="section" gap="sm" aria-label={`Comments on this ${about.subject}`}>
      <Title order={3}>Comments{comments.length > 0 && ` (${comments.length})`}</Title>
      {query.data === undefined && <Unanswered query={query} failed="The comments could not be loaded" />}
      <ul className={classes.comments}>
        {comments.map((comment) => (
          <OneComment
            key={comment.id}
            comment={comment}
            people={people}
            change={role !== "viewer" && comment.author === me?.id ? (text) => changeComment(projectId, comment.id, text) : undefined}
            remove={
              role === "owner" || (role === "editor" && comment.author === me?.id) ? () => deleteComment(projectId, comment.id) : undefined
            }
            refreshes={refreshes}
          />
        ))}
      </ul>
      {role === "viewer" ? (
        comments.length === 0 && "No comments yet."
      ) : (
        <CommentForm
          label="New comment"
          submit="Comment"
          people={people}
          send={(text) => writeComment(projectId, { ...about, text })}
          refreshes={refreshes}
        />
      )}
    </Stack>
  );
}

/** Opens the comments on something that has no page of its own. */
export function CommentsButton(props: CommentsProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const { length: count } = useComments(props).comments;
  return (
    <>
      <Button size="compact-sm" variant="subtle" color="gray" leftSection={<IconMessage size={15} />} onClick={open}>
        {count === 0 ? "Comment" : `Comments (${count})`}
      </Button>
      <Modal opened={opened} onClose={close} title={`On this ${props.about.subject}`} size="lg">
        <Comments {...props} />
      </Modal>
    </>
  );
}

/** Members of the project, and those who wrote in the thread: only admins may list all accounts. */
function useMentionable(projectId: string, comments: readonly Comment[]): readonly Mentionable[] {
  const { data: members = [] } = useQuery(membersQuery(projectId));
  const named = members
    .filter(({ person }) => person?.disabled === false)
    .map((member) => ({ id: member.user_id, name: formatMember(member) }));
  const others = [...new Set(comments.map(({ author }) => author))].filter((author) => named.every(({ id }) => id !== author));
  const names = useQueries({ queries: others.map(personQuery) });
  return tellApart([...named, ...others.flatMap((id, at) => (names[at]?.data ? [{ id, name: names[at].data }] : []))]);
}

type CommentFormProps = {
  readonly label: string;
  readonly submit: string;
  readonly typed?: string;
  readonly people: readonly Mentionable[];
  readonly send: (text: string) => Call<Comment>;
  readonly refreshes: ReturnType<typeof useComments>["refreshes"];
  readonly onDone?: () => void;
};

function CommentForm({ label, submit, typed = "", people, send, refreshes, onDone }: CommentFormProps) {
  const [text, setText] = useState(typed);
  const save = useChange({
    send: () => send(toStored(text, people)),
    refreshes,
    onSuccess() {
      setText("");
      onDone?.();
    },
  });
  return (
    <Form gap="xs" onSubmit={() => save.mutate()}>
      <FailedChange error={save.error} title="The comment was not saved" />
      <MentionField label={label} text={text} people={people} onText={setText} />
      <Group justify="flex-end" gap="xs">
        {onDone !== undefined && (
          <Button size="xs" variant="default" onClick={onDone}>
            Cancel
          </Button>
        )}
        <Button type="submit" size="xs" loading={save.isPending} disabled={text.trim() === ""}>
          {submit}
        </Button>
      </Group>
    </Form>
  );
}

type OneCommentProps = Pick<CommentFormProps, "people" | "refreshes"> & {
  readonly comment: Comment;
  /** Undefined where the reader may not. */
  readonly change: CommentFormProps["send"] | undefined;
  readonly remove: (() => Call<unknown>) | undefined;
};

function OneComment({ comment, people, change, remove, refreshes }: OneCommentProps) {
  const [isEdited, setEdited] = useState(false);
  const removal = useChange({ send: (call: Call<unknown>) => call, refreshes, failed: "The comment was not deleted" });
  const button = { size: "compact-sm", fz: "xs", variant: "subtle" } as const;
  return (
    <li>
      <Group gap="xs" className={classes.about ?? ""}>
        <span>
          <AuthorName author={comment.author} />, <TimeStamp at={comment.created_at} />
          {comment.edited_at !== null && " (edited)"}
        </span>
        {change !== undefined && !isEdited && (
          <Button {...button} color="gray" onClick={() => setEdited(true)}>
            Edit
          </Button>
        )}
        {remove !== undefined && !isEdited && (
          <Button {...button} color="red" loading={removal.isPending} onClick={() => removal.mutate(remove())}>
            Delete
          </Button>
        )}
      </Group>
      {isEdited && change !== undefined ? (
        <CommentForm
          label="Comment"
          submit="Save"
          typed={toTyped(comment.text, people)}
          people={people}
          send={change}
          refreshes={refreshes}
          onDone={() => setEdited(false)}
        />
      ) : (
        <p className={classes.text}>{cutComment(comment.text).map(showPiece)}</p>
      )}
    </li>
  );
}

function showPiece({ is, text }: ReturnType<typeof cutComment>[number], at: number) {
  switch (is) {
    case "mention":
      return (
        <strong key={at}>
          @<AuthorName author={text} />
        </strong>
      );
    case "link":
      return (
        <Anchor key={at} href={text} inherit underline="always" target="_blank" rel="noopener noreferrer nofollow">
          {text}
        </Anchor>
      );
    case "text":
      return <SafeText key={at} text={text} />;
    default:
      return is satisfies never;
  }
}
