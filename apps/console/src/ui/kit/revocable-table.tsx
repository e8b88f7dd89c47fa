import { Button, Group, Modal, Table, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import panel from "./panel-table.module.css";
import { Status } from "./status.tsx";
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

/** Secrets that were given away: what each of them opens, when it was last used, and the way to end it. */
export function RevocableTable({
  what,
  label,
  opensLabel,
  rows,
  revoke,
  warning,
}: {
  /** One of them, as in “Revoke this token?”. */
  readonly what: string;
  readonly label: string;
  readonly opensLabel: string;
  readonly rows: readonly Revocable[];
  readonly revoke: (id: string) => Promise<void>;
  /** What happens when the one of this name is revoked. */
  readonly warning: (name: string) => string;
}) {
  const [leaving, setLeaving] = useState<Revocable>();
  const close = () => setLeaving(undefined);
  const revocation = useMutation({
    mutationFn: revoke,
    onError: (error) => notifications.show({ color: "red", title: `The ${what} still works`, message: error.message }),
    onSettled: close,
  });
  return (
    <>
      <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": label } }}>
        <Table className={panel.table ?? ""}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Begins with</Table.Th>
              <Table.Th>{opensLabel}</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th w={120}>Status</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.id}>
                <Table.Td fw={550} {...(row.revoked_at === null ? {} : { c: "dimmed" })}>
                  {row.name}
                </Table.Td>
                <Table.Td ff="monospace" fz="xs">
                  {row.prefix}…
                </Table.Td>
                <Table.Td maw={260}>{row.opens}</Table.Td>
                <Table.Td>
                  <TimeStamp at={row.created_at} />
                </Table.Td>
                <Table.Td>
                  {row.last_used_at === null ? (
                    <Text inherit c="dimmed">
                      never
                    </Text>
                  ) : (
                    <TimeStamp at={row.last_used_at} />
                  )}
                </Table.Td>
                <Table.Td>
                  {row.revoked_at === null ? (
                    <Button size="xs" variant="default" aria-label={`Revoke ${row.name}`} onClick={() => setLeaving(row)}>
                      Revoke
                    </Button>
                  ) : (
                    <Status tone="idle">Revoked</Status>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Modal
        opened={leaving !== undefined}
        onClose={close}
        title={`Revoke this ${what}?`}
        closeButtonProps={{ "aria-label": "Close" }}
        centered
      >
        <Text>{leaving !== undefined && warning(leaving.name)} This can't be undone.</Text>
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="default" onClick={close} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={revocation.isPending} onClick={() => leaving !== undefined && revocation.mutate(leaving.id)}>
            Revoke
          </Button>
        </Group>
      </Modal>
    </>
  );
}
