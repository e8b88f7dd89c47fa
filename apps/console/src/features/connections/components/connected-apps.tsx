import { Button, Text } from "@mantine/core";
import type { Connection } from "@sightline/identity/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { PanelList } from "#ui/kit/panel.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { connectionsQuery, endConnection } from "#features/connections/api/connections.ts";

type ConnectedAppsProps = {
  /** What one opens, in words. */
  readonly openedBy: (connection: Pick<Connection, "repositories" | "traces" | "evaluation">) => string;
};

/** The apps that one let in by the browser, each to be sent away from here. */
export function ConnectedApps({ openedBy }: ConnectedAppsProps) {
  const connections = useQuery(connectionsQuery);
  const [leaving, setLeaving] = useState<Connection>();
  const close = () => setLeaving(undefined);
  const ending = useChange({ send: endConnection, refreshes: [connectionsQuery.queryKey], failed: "The assistant still has access" });
  return (
    <>
      <PanelList
        query={connections}
        items={connections.data}
        isHeaded
        failed="The connected assistants could not be loaded"
        empty={
          "No connected assistants yet. Give an assistant the address without a token: it opens your browser, where you choose what it can see."
        }
      >
        {(items) => (
          <DataTable
            label="Connected assistants"
            minWidth={760}
            isInPanel
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              { header: "Assistant", td: { fw: 550 }, render: ({ app }) => app.name },
              { header: "Host", td: { fz: "xs" }, render: ({ app }) => app.redirect_host },
              { header: "Access", td: { maw: 260 }, render: openedBy },
              { header: "Connected", render: (row) => <TimeStamp at={row.created_at} /> },
              { header: "Last used", render: (row) => <TimeStamp at={row.last_used_at} none="never" /> },
              { header: "Ends", render: (row) => <TimeStamp at={row.expires_at} /> },
              {
                header: "End it",
                isHidden: true,
                width: 120,
                render: (row) => (
                  <Button size="xs" variant="default" aria-label={`Disconnect ${row.app.name}`} onClick={() => setLeaving(row)}>
                    Disconnect
                  </Button>
                ),
              },
            ]}
          />
        )}
      </PanelList>
      <ConfirmDialog
        opened={leaving !== undefined}
        title="Disconnect this app?"
        change={ending}
        confirm="Disconnect"
        onConfirm={() => leaving !== undefined && ending.mutate(leaving.id, { onSettled: close })}
        onClose={close}
      >
        <Text>“{leaving?.app.name}” loses its access within a minute. To use it again, connect it again.</Text>
      </ConfirmDialog>
    </>
  );
}
