import { Button, Text } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { DataTable } from "./data-table.tsx";
import { ConfirmDialog } from "./dialogs.tsx";
import { Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";

type Revocable = {
  readonly id: string;
  readonly name: string;
  /** How the secret begins. */
  readonly prefix: string;
  /** What it opens. */
  readonly opens: ReactNode;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
};

type RevocableTableProps = {
  /** One of them, as in “Revoke this token?”. */
  readonly what: string;
  readonly label: string;
  readonly rows: readonly Revocable[];
  readonly revocation: Pick<UseMutationResult<unknown, Error, string>, "error" | "isPending" | "mutate">;
  /** What happens when the one of this name is revoked. */
  readonly warning: (name: string) => string;
};

/** Secrets that were given away: what each of them opens, when it was last used, and the way to end it; those that were ended last. */
export function RevocableTable({ what, label, rows, revocation, warning }: RevocableTableProps) {
  const [leaving, setLeaving] = useState<Revocable>();
  const close = () => setLeaving(undefined);
  return (
    <>
      <DataTable
        label={label}
        minWidth={760}
        isInPanel
        rows={rows.toSorted((one, other) => Number(one.revoked_at !== null) - Number(other.revoked_at !== null))}
        rowKey={({ id }) => id}
        columns={[
          { header: "Name", td: (row) => ({ fw: 550, ...(row.revoked_at === null ? {} : { c: "dimmed" }) }), render: ({ name }) => name },
          { header: "Begins with", td: { ff: "monospace", fz: "xs" }, render: ({ prefix }) => `${prefix}…` },
          { header: "Access", td: { maw: 260 }, render: ({ opens }) => opens },
          { header: "Created", render: (row) => <TimeStamp at={row.created_at} /> },
          { header: "Last used", render: (row) => <TimeStamp at={row.last_used_at} none="never" /> },
          {
            header: "Status",
            width: 120,
            isPinned: true,
            render: (row) =>
              row.revoked_at === null ? (
                <Button size="xs" variant="default" aria-label={`Revoke ${row.name}`} onClick={() => setLeaving(row)}>
                  Revoke
                </Button>
              ) : (
                <Status tone="idle">Revoked</Status>
              ),
          },
        ]}
      />
      <ConfirmDialog
        opened={leaving !== undefined}
        title={`Revoke this ${what}?`}
        change={revocation}
        confirm="Revoke"
        onConfirm={() => leaving !== undefined && revocation.mutate(leaving.id, { onSettled: close })}
        onClose={close}
      >
        <Text>{leaving !== undefined && warning(leaving.name)} This can't be undone.</Text>
      </ConfirmDialog>
    </>
  );
}
