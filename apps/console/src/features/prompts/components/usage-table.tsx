import { Anchor } from "@mantine/core";
import type { Prompt } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { promptUsageQuery } from "#features/prompts/api/prompts.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatCost, formatCount, formatDuration, formatExactCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";

/** What model calls that were made with each version did, and the way to their traces. */
export function UsageTable({ projectId, prompt: { id, name } }: { readonly projectId: string; readonly prompt: Prompt }) {
  const list = useQuery(promptUsageQuery(projectId, id));
  return (
    <ListOf
      list={list}
      items={list.data?.items}
      failed="The usage could not be loaded"
      empty={<Dimmed p="lg">No model call of the last 30 days was made with it.</Dimmed>}
    >
      {(items) => (
        <>
          <Dimmed p="md" pb="xs">
            Live traces of the last 30 days, the newest 10,000 calls of each version. Tokens, cost and time are those of the model calls
            that were made with a version.
          </Dimmed>
          <DataTable
            label="Usage"
            minWidth={760}
            highlightOnHover
            rows={items}
            rowKey={({ version }) => version}
            columns={[
              { header: "Version", isRowHeading: true, render: ({ version }) => version },
              {
                header: "Traces",
                align: "right",
                render: ({ version, traces }) => (
                  <Anchor
                    component={Link}
                    to="/projects/$projectId/traces"
                    params={{ projectId }}
                    search={{ q: `prompt:${name}@${version}` }}
                    aria-label={`${traces} traces of version ${version}`}
                  >
                    {formatExactCount(traces)}
                  </Anchor>
                ),
              },
              { header: "Calls", align: "right", render: ({ calls }) => formatExactCount(calls) },
              { header: "Failed", align: "right", render: ({ failed_calls: failed }) => formatExactCount(failed) },
              { header: "Tokens", align: "right", render: ({ tokens }) => (tokens === null ? "–" : formatCount(tokens)) },
              { header: "Cost", align: "right", render: ({ cost }) => (cost === null ? "–" : formatCost(cost)) },
              { header: "Mean time", align: "right", render: ({ mean_duration_ms: mean }) => (mean === null ? "–" : formatDuration(mean)) },
              {
                header: "Mean scores",
                render: ({ scores }) =>
                  scores.map(({ name: score, source, mean, count }) => (
                    <div key={`${score} ${source}`}>
                      <SafeText text={score} /> {mean.toFixed(2)}{" "}
                      <Dimmed span>
                        ({count} by {source})
                      </Dimmed>
                    </div>
                  )),
              },
            ]}
          />
        </>
      )}
    </ListOf>
  );
}
