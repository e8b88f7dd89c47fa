import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { CopyableBlock } from "#ui/kit/copyable.tsx";

/** Stands in an empty dataset, or where there is none: how items get in. */
export function WaysToFill({ projectId, dataset }: { readonly projectId: string; readonly dataset?: { readonly id: string } }) {
  const path = `${window.location.origin}/api/observability/api/v1/projects/${projectId}/datasets`;
  const send = `\\
  -H "X-API-Key: $OBS_API_KEY" -H "Content-Type: application/json"`;
  const create = `curl ${path} ${send} \\
  -d '{"name": "refunds"}'`;
  const add = `curl ${path}/${dataset?.id ?? "<id of the dataset>"}/items ${send} \\
  -d '{"items": [{"input": "Where is my parcel?", "expected": "It arrives on Monday."}]}'`;
  return (
    <Stack px="lg" pb="lg" maw={860} mx="auto" gap="xs">
      <Text size="sm">
        <b>From a trace:</b> open one of your{" "}
        <Anchor component={Link} inherit underline="always" to="/projects/$projectId/traces" params={{ projectId }}>
          traces
        </Anchor>{" "}
        and choose <i>Add to dataset</i>, or tick several in the list, or draw a sample. Failed traces make the best items.
      </Text>
      <Text size="sm">
        <b>From a file</b> of JSON lines or CSV: {dataset === undefined ? "make a dataset and choose" : "choose"} <i>Import</i>.
      </Text>
      <Text size="sm">
        <b>By API</b>, with a key that may evaluate from the project’s{" "}
        <Anchor
          component={Link}
          inherit
          underline="always"
          to="/projects/$projectId/settings"
          params={{ projectId }}
          search={{ section: "keys" }}
        >
          settings
        </Anchor>
        :
      </Text>
      <CopyableBlock text={dataset === undefined ? `${create}\n${add}` : add} label="the commands that send items" />
    </Stack>
  );
}
