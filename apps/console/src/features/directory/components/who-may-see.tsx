import { Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { listSeers, type Way } from "#features/directory/model.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";

const MAX_SHOWN = 100;

/** Each person who may see it, and why. */
export function WhoMaySee({ ways }: { readonly ways: readonly Way[] }) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const seers = listSeers(ways);
  const found = seers.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(wanted));
  return (
    <>
      {seers.length > 10 && (
        <TextInput
          mb="sm"
          maw={320}
          aria-label="Name or e-mail address"
          placeholder="Filter by name or e-mail"
          leftSection={<IconSearch size={15} />}
          maxLength={200}
          {...typedInto(text, setText)}
        />
      )}
      <DataTable
        label="Who may see it, and why"
        minWidth={420}
        rows={found.slice(0, MAX_SHOWN)}
        rowKey={({ id }) => id}
        columns={[
          {
            header: "Who may see it",
            render: ({ name, email }) => (
              <>
                <Text fw={550}>{name}</Text>
                <Dimmed size="xs">{email}</Dimmed>
              </>
            ),
          },
          { header: "Why", render: ({ why }) => why.join("; ") },
        ]}
      />
      <Dimmed size="xs" mt="xs" role="status">
        {found.length === 0 && "Nobody of this name may see it."}
        {found.length > MAX_SHOWN && `The first ${MAX_SHOWN} of ${found.length} people; filter by name to find others.`}
      </Dimmed>
    </>
  );
}
