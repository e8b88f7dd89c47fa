import "@mantine/core/styles/Checkbox.layer.css";
import { Button, Checkbox, Popover, Skeleton, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { LABEL_NAMES } from "@sightline/observability/contract";
import { IconChevronDown, IconChevronRight, IconFilter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FACETS_SHOWN, facetsQuery } from "#features/traces/api/list-traces.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { useShownAtOnce } from "#ui/page/use-shown-at-once.ts";
import type { TimeRange } from "#ui/time/time-range.ts";
import { capitalized, formatCount } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./filter-menu.module.css";
import { valuesIn, withRange, withToggled, withoutField } from "./query-text.ts";

const FIELDS = ["status", "name", "model", "tool", "tag", ...LABEL_NAMES, "user", "session"];
const TYPING_PAUSE_MS = 200;

type FilterMenuProps = {
  readonly projectId: string;
  readonly q: string;
  readonly range: TimeRange;
  readonly onChange: (q: string) => void;
};

/** What traces can be filtered by, each value with how many there are; a click adds it to the query or takes it out. */
export function FilterMenu({ q, onChange, ...list }: FilterMenuProps) {
  const [opened, setOpened] = useState(false);
  const [asked, ask] = useShownAtOnce(q, onChange);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" width={300} withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={16} />}
          rightSection={<IconChevronDown size={14} />}
          onClick={() => setOpened(!opened)}
        >
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filter" className={classes.dropdown ?? ""}>
        {opened && <Fields {...list} q={asked} onChange={ask} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function Fields(props: FilterMenuProps) {
  const { data } = useQuery(facetsQuery(props.projectId, { field: "metadata", prefix: "", q: "" }));
  const keys = (data?.items ?? []).map(({ value }) => `metadata.${value}`);
  return [...FIELDS, ...keys].map((field) => <Field key={field} {...props} field={field} />);
}

type FieldProps = FilterMenuProps & { readonly field: string };

function Field(props: FieldProps) {
  const [isOpen, setOpen] = useState(false);
  const chosen = valuesIn(props.q, props.field).length;
  return (
    <details name="filter-field" className={classes.field} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={classes.summary}>
        <IconChevronRight size={14} className={classes.chevron ?? ""} aria-hidden="true" />
        {labelOf(props.field)}
        {chosen > 0 && <span className={classes.chosen}>{chosen} chosen</span>}
      </summary>
      {isOpen && <Values {...props} />}
    </details>
  );
}

function Values({ projectId, q, range, field, onChange }: FieldProps) {
  const [typed, setTyped] = useState("");
  const [prefix] = useDebouncedValue(typed, TYPING_PAUSE_MS);
  // Without its own term, so that other values can be chosen beside it.
  const facets = useQuery(facetsQuery(projectId, { field, prefix, q: withoutField(withRange(q, range), field) }));
  const chosen = valuesIn(q, field);
  const found = facets.data?.items ?? [];
  const unseen = chosen.filter((value) => found.every((item) => item.value !== value)).map((value) => ({ value, count: undefined }));
  const lookedAt = facets.data?.looked_at ?? null;
  return (
    <div className={classes.values}>
      {(typed !== "" || found.length === FACETS_SHOWN) && (
        <TextInput
          size="xs"
          aria-label={`Find a value of ${labelOf(field)}`}
          placeholder="Begins with…"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {[...unseen, ...found].map(({ value, count }) => (
        <Checkbox
          key={value}
          size="xs"
          classNames={{ body: classes.value ?? "", labelWrapper: classes.label ?? "" }}
          checked={chosen.includes(value)}
          onChange={() => onChange(withToggled(q, field, value))}
          label={
            <>
              <span className={classes.name}>
                <SafeText text={value} />
              </span>
              {count !== undefined && <span className={classes.count}>{formatCount(count)}</span>}
            </>
          }
        />
      ))}
      {facets.isPending && <Skeleton height={12} width="60%" radius="xl" />}
      {facets.error !== null && <Dimmed role="alert">{facets.error.message}</Dimmed>}
      {facets.data !== undefined && found.length + unseen.length === 0 && <Dimmed>None of these traces has one.</Dimmed>}
      {lookedAt !== null && found.reduce((sum, { count }) => sum + count, 0) >= lookedAt && (
        <Dimmed size="xs">Counted in the newest {formatCount(lookedAt)} traces.</Dimmed>
      )}
    </div>
  );
}

/** `Environment`, `Metadata: customer`. */
function labelOf(field: string): string {
  return capitalized(field.replace(/^metadata\./, "metadata: "));
}
