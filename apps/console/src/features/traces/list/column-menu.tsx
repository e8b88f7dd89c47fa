import "@mantine/core/styles/Checkbox.layer.css";
import { Button, Checkbox, Popover, Stack } from "@mantine/core";
import { IconChevronDown, IconColumns3 } from "@tabler/icons-react";
import { useState } from "react";
import { COLUMNS, type ColumnId, DEFAULT_COLUMNS } from "./columns.ts";

/** Chooses which columns there are, beside status and name. */
export function ColumnMenu({
  columns,
  onChange,
}: {
  readonly columns: readonly ColumnId[];
  readonly onChange: (columns: readonly ColumnId[]) => void;
}) {
  const [opened, setOpened] = useState(false);
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
          value={[...columns]}
          aria-label="Columns"
          onChange={(ids) => onChange(COLUMNS.flatMap(({ id }) => (ids.includes(id) ? [id] : [])))}
        >
          <Stack gap={8}>
            {COLUMNS.map(({ id, label }) => (
              <Checkbox key={id} size="xs" value={id} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Button size="compact-xs" variant="subtle" mt="sm" onClick={() => onChange(DEFAULT_COLUMNS)}>
          Back to the usual ones
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}
