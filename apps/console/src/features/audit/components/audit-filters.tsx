import "@mantine/core/styles/Pill.layer.css";
import "@mantine/core/styles/PillsInput.layer.css";
import { Button, MultiSelect, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useTypedFilter } from "#ui/query/use-typed.ts";
import { type AuditFilter, NO_FILTER, isFiltered } from "#features/audit/audit-filter.ts";
import { EVENT_CHOICES } from "#features/audit/event-labels.ts";
import classes from "./audit-filters.module.css";

const PAUSE_MS = 300;

export type Person = { readonly id: string; readonly email: string };

type AuditFiltersProps = {
  readonly filter: AuditFilter;
  /** Whom to choose from, and in any case the chosen one. */
  readonly people: readonly Person[];
  readonly onPeopleSearch: (search: string) => void;
  readonly onChange: (filter: AuditFilter) => void;
};

export function AuditFilters({ filter, people, onPeopleSearch, onChange }: AuditFiltersProps) {
  const ip = useTypedFilter(filter.ip, (typed) => onChange({ ...filter, ip: typed }));
  const searchPeople = useDebouncedCallback(onPeopleSearch, PAUSE_MS);
  return (
    <search className={classes.filters}>
      <div className={classes.row}>
        <MultiSelect
          className={classes.events}
          label="Events"
          placeholder={filter.events.length === 0 ? "Any event" : ""}
          searchable
          clearable
          hidePickedOptions
          // The list itself scrolls, so that what assistive technology knows as the list is what can be scrolled.
          withScrollArea={false}
          classNames={{ options: classes.options }}
          comboboxProps={{ portalProps: { target: "#main" } }}
          nothingFoundMessage="No such event"
          clearButtonProps={{ "aria-label": "Show any event" }}
          data={EVENT_CHOICES}
          value={[...filter.events]}
          onChange={(events) => onChange({ ...filter, events })}
        />
        <Select
          className={classes.user}
          label="User"
          placeholder="Anyone"
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Show anyone" }}
          nothingFoundMessage="No such user"
          data={people.map(({ id, email }) => ({ value: id, label: email }))}
          filter={({ options }) => options}
          value={filter.user ?? null}
          // Choosing someone writes the address into the field, which is no search.
          onSearchChange={(typed) => searchPeople(people.some(({ email }) => email === typed) ? "" : typed)}
          onChange={(user) => onChange({ ...filter, user: user ?? undefined })}
        />
        <TextInput
          className={classes.ip}
          label="IP address"
          placeholder="Any IP address"
          maxLength={64}
          {...typedInto(ip.text, (text) => ip.type(text))}
        />
        {isFiltered(filter) && (
          <Button className={classes.clear} variant="subtle" onClick={() => onChange(NO_FILTER)}>
            Clear
          </Button>
        )}
      </div>
    </search>
  );
}
