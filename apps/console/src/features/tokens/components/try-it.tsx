import { Anchor, Button, PasswordInput, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { Failed } from "#ui/kit/failed-change.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { ErrorState } from "#ui/kit/list-states.tsx";
import { formatDuration } from "#ui/words/format.ts";
import { type McpTool, callMcpTool, listMcpTools } from "#features/tokens/api/call-mcp.ts";
import { tokensQuery } from "#features/tokens/api/tokens.ts";
import { ToolForm } from "./tool-form.tsx";

/** A real call through the MCP endpoint, with a token that lives on this page alone. */
export function TryIt({ token: created }: { readonly token: string | undefined }) {
  const [typed, setTyped] = useState("");
  const token = created ?? typed.trim();
  return (
    <Stack gap="sm">
      {created === undefined && (
        <PasswordInput
          label="Developer token"
          description="Paste one that you have. It stays on this page and is sent to nothing but the code index."
          placeholder="codeindex_…"
          autoComplete="off"
          maw={520}
          {...typedInto(typed, setTyped)}
          visibilityToggleButtonProps={{ "aria-label": "Show the token" }}
        />
      )}
      <Connection key={token} token={token} />
    </Stack>
  );
}

function Connection({ token }: { readonly token: string }) {
  // A mutation, so that the token is in no cache of answers.
  const queries = useQueryClient();
  const list = useMutation({
    mutationFn: () => listMcpTools(send, token),
    gcTime: 0,
    // It was used just now, which the list of tokens says.
    onSettled: () => queries.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  if (list.data !== undefined) {
    return <Caller token={token} tools={list.data} />;
  }
  return (
    <>
      {list.error !== null && <ErrorState title="The endpoint refused" error={list.error} onRetry={() => list.mutate()} />}
      <div>
        <Button variant="default" disabled={token === ""} loading={list.isPending} onClick={() => list.mutate()}>
          Connect as an assistant
        </Button>
      </div>
    </>
  );
}

function Caller({ token, tools }: { readonly token: string; readonly tools: readonly McpTool[] }) {
  const [name, setName] = useState(tools[0]?.name ?? null);
  const [raw, setRaw] = useState(false);
  const tool = tools.find((candidate) => candidate.name === name);
  const call = useMutation({
    mutationFn: (words: Readonly<Record<string, unknown>>) => callMcpTool(send, token, { name: tool?.name ?? "", arguments: words }),
    gcTime: 0,
  });
  const answer = call.data;
  return (
    <>
      <Text role="status">Connected: the token opens {tools.length === 1 ? "one tool" : `${tools.length} tools`}.</Text>
      <Select
        label="Tool"
        maw={520}
        allowDeselect={false}
        data={tools.map((each) => ({ value: each.name, label: each.title === undefined ? each.name : `${each.name} (${each.title})` }))}
        value={name}
        onChange={(chosen) => {
          setName(chosen);
          call.reset();
        }}
      />
      {tool !== undefined && <ToolForm key={tool.name} tool={tool} busy={call.isPending} onCall={(words) => call.mutate(words)} />}
      <Failed error={call.error} title="The call failed" />
      {answer !== undefined && (
        <section aria-label="Answer of the tool">
          <Dimmed mb="xs" role="status">
            {answer.isError ? "The tool reported an error" : "This is what the assistant reads"}, after {formatDuration(answer.ms)}.{" "}
            <Anchor component="button" type="button" size="sm" onClick={() => setRaw(!raw)} aria-pressed={raw}>
              {raw ? "Show the text" : "Show the whole answer as JSON"}
            </Anchor>
          </Dimmed>
          <CopyableBlock text={raw ? JSON.stringify(answer.raw, null, 2) : answer.text} label="the answer" />
        </section>
      )}
    </>
  );
}

const send = (input: string, init: RequestInit) => fetch(input, init);
