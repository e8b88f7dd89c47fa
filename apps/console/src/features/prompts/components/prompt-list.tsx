import { Anchor } from "@mantine/core";
import { IconMessage2Code } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { promptsQuery } from "#features/prompts/api/prompts.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { formatExactCount } from "#ui/words/format.ts";
import { Labels } from "./labels.tsx";

const SNIPPET = 'sightline.get_prompt("support/greeting").compile(name="Ada")';

export function PromptList({ projectId }: { readonly projectId: string }) {
  const list = useQuery(promptsQuery(projectId));
  return (
    <ListOf
      list={list}
      items={list.data}
      failed="The prompts could not be loaded"
      empty={
        <EmptyPanel
          icon={<IconMessage2Code />}
          title="No prompts yet"
          description="A prompt has versions that never change, and labels that say which one runs. Your code asks for it by its name; its model calls say which version they ran."
        >
          <CopyableBlock text={SNIPPET} label="how code asks for a prompt" />
        </EmptyPanel>
      }
    >
      {(items) => (
        <DataTable
          label="Prompts"
          minWidth={560}
          highlightOnHover
          rows={items}
          rowKey={({ id }) => id}
          columns={[
            {
              header: "Prompt",
              render: ({ id, name }) => (
                <Anchor component={Link} to="/projects/$projectId/prompts/$promptId" params={{ projectId, promptId: id }} fw={550}>
                  {name}
                </Anchor>
              ),
            },
            { header: "Newest", align: "right", render: ({ version }) => formatExactCount(version) },
            { header: "Labels", render: ({ labels }) => <Labels labels={labels} /> },
            { header: "Changed", render: ({ changed_at: at }) => <TimeStamp at={at} /> },
          ]}
        />
      )}
    </ListOf>
  );
}
