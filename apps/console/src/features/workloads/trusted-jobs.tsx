import { Button, Group, Modal, Paper, Text } from "@mantine/core";
import type { Workload } from "@sightline/identity/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import type { WithStepUp } from "#http/with-step-up.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { PanelHeader, PanelList } from "#ui/kit/panel.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { Status } from "#ui/words/status.tsx";
import { type Choices, TrustForm } from "./trust-form.tsx";
import { distrustJobs, workloadsQuery } from "./workloads.ts";

type TrustedJobsProps = Choices & { readonly withStepUp: WithStepUp };

/** CI jobs and pods that get tokens by what their host says of them, and no stored secret. */
export function TrustedJobs({ withStepUp, ...choices }: TrustedJobsProps) {
  const rules = useQuery(workloadsQuery);
  const [isAdding, setAdding] = useState(false);
  const [ending, setEnding] = useState<Workload>();
  const end = useChange({
    send: (id: string, api) => withStepUp(() => api.request(distrustJobs(id))),
    refreshes: [workloadsQuery.queryKey],
    onSuccess: () => setEnding(undefined),
  });
  return (
    <Paper component="section" aria-label="CI without a stored secret">
      <PanelHeader
        title="CI without a stored secret"
        about="Jobs of GitHub, GitLab or Kubernetes prove who they are, and get a token of 15 minutes."
      >
        <Button variant="default" onClick={() => setAdding(true)}>
          Trust a job
        </Button>
      </PanelHeader>
      <PanelList query={rules} items={rules.data} failed="The jobs could not be looked up" empty="No job is trusted yet." isHeaded>
        {(items) =>
          items.map((rule) => (
            <Group key={rule.id} px="lg" pb="lg" justify="space-between" align="flex-start">
              <div style={{ minWidth: 0, flex: "1 1 300px" }}>
                <Text fw={550} style={{ overflowWrap: "anywhere" }}>
                  {rule.subject}
                </Text>
                <Dimmed mb={6}>
                  {rule.issuer}
                  {rule.branches !== null && `, branches ${rule.branches}`}, may {rule.scopes.join(", ")} {targetOf(rule, choices)},{" "}
                  {rule.last_used_at === null ? (
                    "not used yet"
                  ) : (
                    <>
                      used <TimeStamp at={rule.last_used_at} />
                    </>
                  )}
                </Dimmed>
                {!rule.active && <Status tone="warn">Lets nobody in: whoever made it is no admin any more</Status>}
                <Dimmed size="xs" mb={4}>
                  Its CI has this as SIGHTLINE_WORKLOAD:
                </Dimmed>
                <CopyableBlock text={rule.audience} label={`SIGHTLINE_WORKLOAD of ${rule.subject}`} />
              </div>
              <Button size="xs" variant="default" aria-label={`Remove ${rule.subject}`} onClick={() => setEnding(rule)}>
                Remove
              </Button>
            </Group>
          ))
        }
      </PanelList>
      {isAdding && (
        <Modal opened onClose={() => setAdding(false)} title="Trust a job" size="lg">
          <TrustForm {...choices} withStepUp={withStepUp} onDone={() => setAdding(false)} />
        </Modal>
      )}
      <ConfirmDialog
        opened={ending !== undefined}
        title="Trust this job no more?"
        change={end}
        failed="It is still trusted"
        confirm="Remove"
        onConfirm={() => ending !== undefined && end.mutate(ending.id)}
        onClose={() => setEnding(undefined)}
      >
        <Text>{ending?.subject} gets no tokens any more, and those it has end.</Text>
      </ConfirmDialog>
    </Paper>
  );
}

function targetOf({ repository_id: repository, project_id: project }: Workload, { repositories, projects }: Choices): string {
  const names = [...repositories, ...projects].filter(({ value }) => value === repository || value === project);
  return names.length === 0 ? "" : `in ${names.map(({ label }) => label).join(" and ")}`;
}
