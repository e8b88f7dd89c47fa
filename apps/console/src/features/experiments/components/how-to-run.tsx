import { Stack } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import { runSnippet } from "#features/experiments/run-snippet.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { EmptyPanel } from "#ui/kit/list-states.tsx";

/** Stands where no experiment is yet: how one is run over a dataset, by its name if one is meant. */
export function HowToRun({ projectId, dataset = "refunds" }: { readonly projectId: string; readonly dataset?: string }) {
  const { environment, python } = runSnippet(window.location.origin, projectId, dataset);
  return (
    <>
      <EmptyPanel
        icon={<IconFlask />}
        title="No experiments yet"
        description="An experiment runs your agent over every item of a dataset, where your agent lives, and compares its scores with those of another branch."
      />
      <Stack px="lg" pb="lg" maw={860} mx="auto" gap="xs">
        <CopyableBlock text={environment} label="the environment variables" />
        <CopyableBlock text={python} label="the program that runs an experiment" />
      </Stack>
    </>
  );
}
