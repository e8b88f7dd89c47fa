import { Alert, Button, Group, Text, TextInput } from "@mantine/core";
import type { Coverage, Repository } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Failed } from "#ui/kit/failed-change.tsx";
import { Form } from "#ui/kit/form.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { plural } from "#ui/words/format.ts";
import { coverageQuery } from "#features/repositories/api/repositories.ts";
import classes from "./path-coverage.module.css";

/** Whether a file is searchable, and if not why. */
export function PathCoverage({ repository }: { readonly repository: Repository }) {
  const [typed, setTyped] = useState("");
  const [path, setPath] = useState("");
  const coverage = useQuery({ ...coverageQuery(repository.id, path), enabled: path !== "" });

  return (
    <>
      <Form onSubmit={() => setPath(typed.trim())}>
        <Group gap="xs" align="flex-end">
          <TextInput
            className={classes.path}
            label="Path"
            placeholder="src/index.ts"
            {...typedInto(typed, setTyped)}
            autoCapitalize="off"
            spellCheck={false}
          />
          <Button type="submit" variant="default" loading={coverage.isFetching} disabled={typed.trim() === ""}>
            Look up
          </Button>
        </Group>
      </Form>
      <Failed error={coverage.error} title="The path could not be looked up" mt="md" />
      {coverage.data !== undefined && path !== "" && <Answer coverage={coverage.data} />}
    </>
  );
}

const COLORS: Readonly<Record<Coverage["state"], string>> = { indexed: "green", skipped: "yellow", absent: "gray" };

function Answer({ coverage }: { readonly coverage: Coverage }) {
  const { path, state, reason, chunks, embedded, similar } = coverage;
  const titles: Readonly<Record<Coverage["state"], string>> = {
    indexed: "Searchable",
    skipped: "Left out",
    absent: "Not in the indexed commit",
  };
  return (
    <Alert color={COLORS[state]} role="status" mt="md" title={`${titles[state]}: ${path}`}>
      {state === "indexed" && (
        <Text size="sm">
          {plural(chunks, "chunk", "chunks")}
          {embedded < chunks && `, ${embedded} of them with a vector`}.
        </Text>
      )}
      {reason !== null && <Text size="sm">{reason}</Text>}
      {similar.length > 0 && <Text size="sm">Perhaps {similar.join(" or ")}?</Text>}
    </Alert>
  );
}
