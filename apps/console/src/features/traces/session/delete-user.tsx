import { Button, List, Text } from "@mantine/core";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import { deleteUser } from "#features/traces/api/deletions.ts";
import { keysOfTraces } from "#features/traces/api/bulk.ts";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";

type DeleteUserProps = {
  readonly projectId: string;
  readonly userId: string;
  /** It goes on in the background from then on. */
  readonly onBegun: () => void;
};

/** Offers to delete a user of the observed application with everything they said. */
export function DeleteUser({ projectId, userId, onBegun }: DeleteUserProps) {
  const [isAsking, setAsking] = useState(false);
  const change = useChange({
    send: () => deleteUser(projectId, userId),
    refreshes: [...keysOfTraces(projectId), ["user", projectId, userId], ["deletions", projectId]],
    onSuccess: onBegun,
  });
  return (
    <>
      <Button variant="default" c="red" onClick={() => setAsking(true)}>
        Delete user
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title={`Delete everything of ${userId}?`}
        change={change}
        failed="The user was not deleted"
        cancel="Keep them"
        confirm="Delete user"
        onConfirm={() => change.mutate()}
        onClose={() => setAsking(false)}
      >
        <Text size="sm">This permanently deletes, and cannot be undone:</Text>
        <List size="sm">
          <List.Item>all traces of this user, with every step, input and output</List.Item>
          <List.Item>scores and their comments, and dead letters that name the user or these traces</List.Item>
          <List.Item>their share of dashboard figures, sessions and filters</List.Item>
        </List>
        <Text size="sm">
          Messages that other users' traces share stay with those. It takes about a minute; more for thousands of traces.
        </Text>
      </ConfirmDialog>
    </>
  );
}
