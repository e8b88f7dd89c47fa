import "@mantine/core/styles/Checkbox.layer.css";
import { TRACE_FIELDS } from "@sightline/observability/contract";
import { ExportButton } from "#ui/kit/export-button.tsx";
import { RangePicker } from "#ui/kit/range-picker.tsx";
import { SPANS } from "#ui/time/time-range.ts";
import { type ListProps, isReadable } from "#features/traces/list/model/list-state.ts";
import { withRange } from "#features/traces/list/query/query-text.ts";
import { useApi } from "#http/api-context.ts";
import { encoded } from "#http/calls.ts";
import { Button, Checkbox, Popover, Stack } from "@mantine/core";
import { IconChevronDown, IconColumns3 } from "@tabler/icons-react";
import { useState } from "react";
import { useShownAtOnce } from "#ui/page/use-shown-at-once.ts";
import { COLUMNS, type ColumnId, DEFAULT_COLUMNS } from "#features/traces/list/model/columns.ts";

/** Chooses the time and the columns, and saves the list as a file. */
export function ListTools({ projectId, state, onChange }: ListProps) {
  const api = useApi();
  return (
    <>
      <RangePicker range={state.range} spans={SPANS} withAll onChange={(range) => onChange({ ...state, range })} />
      <ColumnMenu columns={state.columns} onChange={(columns) => onChange({ ...state, columns })} />
      {(["jsonl", "csv"] as const).map((format) => (
        <ExportButton
          key={format}
          label={format === "csv" ? "CSV" : "Export"}
          name="sightline-traces"
          extension={format}
          failed="The traces were not exported"
          disabled={!isReadable(state.q)}
          download={(signal) =>
            api.download({
              part: "observability",
              path: encoded`/api/v1/projects/${projectId}/export`,
              query: { q: withRange(state.q, state.range), format },
              accept: format === "csv" ? "text/csv" : "application/jsonl",
              signal,
            })
          }
        />
      ))}
    </>
  );
}

/** Columns that are taken for each other. */
const EXPLAINED = new Map<string, string>(
  TRACE_FIELDS.filter(({ name }) => ["session", "thread", "release", "version"].includes(name)).map((field) => [
    field.name,
    field.description,
  ]),
);

type ColumnMenuProps = { readonly columns: readonly ColumnId[]; readonly onChange: (columns: readonly ColumnId[]) => void };

/** Chooses which columns there are, beside status and name. */
function ColumnMenu({ columns, onChange }: ColumnMenuProps) {
  const [opened, setOpened] = useState(false);
  const [ticked, choose] = useShownAtOnce(columns, onChange);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconColumns3 size={16} />}
          rightSection={<IconChevronDown size={14} />}
          onClick={() => setOpened(!opened)}
        >
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Checkbox.Group
          value={[...ticked]}
          aria-label="Columns"
          onChange={(ids) => choose(COLUMNS.flatMap(({ id }) => (ids.includes(id) ? [id] : [])))}
        >
          <Stack gap={8}>
            {COLUMNS.map(({ id, label }) => (
              <Checkbox key={id} size="xs" value={id} label={label} description={EXPLAINED.get(id)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Button size="compact-xs" variant="subtle" mt="sm" onClick={() => choose(DEFAULT_COLUMNS)}>
          Back to the usual ones
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
