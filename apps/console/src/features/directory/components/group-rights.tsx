import "@mantine/core/styles/Radio.layer.css";
import { Button, Group, Radio, Select, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Rights, RightsParams } from "@sightline/identity/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Group as DirectoryGroup, groupsQuery, rightsQuery, saveRights } from "#features/directory/api/directory.ts";
import type { Level, Way } from "#features/directory/model.ts";
import { useChange } from "#http/use-change.ts";
import type { WithStepUp } from "#http/with-step-up.ts";
import { Form, SaveOrUndo } from "#ui/kit/form.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { Section } from "#ui/kit/panel.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { WhoMaySee } from "./who-may-see.tsx";

type GroupRightsProps = {
  readonly of: RightsParams;
  /** By which others see it, beside groups. */
  readonly others: readonly Way[];
  /** Whether it is everybody's in the organization until it is given to a group, or whatever its groups are. */
  readonly isOpen: "until given" | "always" | "never";
  /** Roles that a group can have here; none where a group that may see it may do no more. */
  readonly levels: readonly { readonly value: Level; readonly label: string }[];
  readonly withStepUp: WithStepUp;
};

/** Which of the directory's groups may see it, and who does by that. */
export function GroupRights({ of, ...rest }: GroupRightsProps) {
  const rights = useQuery(rightsQuery(of));
  const groups = useQuery(groupsQuery);
  const missing = rights.data === undefined ? rights : groups;
  return (
    <Section title="Who may see it" gap="sm">
      {rights.data === undefined || groups.data === undefined ? (
        <Unanswered query={missing} failed="The groups could not be looked up" loading={<LoadingRows rows={2} />} />
      ) : (
        // Rights that another admin changed meanwhile start the form anew.
        <Known key={JSON.stringify(rights.data)} of={of} rights={rights.data} all={groups.data} {...rest} />
      )}
    </Section>
  );
}

type KnownProps = GroupRightsProps & { readonly rights: Rights; readonly all: readonly DirectoryGroup[] };

function Known({ of, rights, all, others, isOpen, levels, withStepUp }: KnownProps) {
  const saved = rights.groups?.map(({ id, level }) => ({ id, level })) ?? null;
  const [given, setGiven] = useState(saved);
  const change = useChange({
    send: (_, api) => withStepUp(() => api.request(saveRights(of, { groups: given, expected: saved }))),
    refreshes: [rightsQuery(of).queryKey],
    refreshesAlways: true,
    failed: "The groups were not changed",
    onSuccess: () => notifications.show({ color: "green", title: "Saved", message: "It holds within two seconds, for tokens too." }),
  });
  const isEverybodys = isOpen === "until given" && given === null;
  const everybody = isOpen === "always" || (isOpen === "until given" && rights.groups === null);
  const byGroup = (rights.groups ?? []).map(({ name, level, members }) => ({
    why: [`Group ${name}`, ...levels.filter(({ value }) => value === level).map(({ label }) => label.toLowerCase())].join(": "),
    people: members.filter(({ disabled }) => !disabled),
  }));
  return (
    <Stack gap="md">
      <Form onSubmit={() => change.mutate()}>
        {isOpen === "until given" && (
          <Radio.Group
            aria-label="Who may see it"
            value={given === null ? "everybody" : "groups"}
            onChange={(value) => setGiven(value === "everybody" ? null : (saved ?? []))}
          >
            <Stack gap="xs">
              <Radio value="everybody" label="Everybody in your organization" />
              <Radio value="groups" label="Only these groups" description="And your organization's admins." />
            </Stack>
          </Radio.Group>
        )}
        {!isEverybodys && <GivenGroups given={given ?? []} all={all} levels={levels} onChange={setGiven} />}
        {(all.length > 0 || isOpen === "until given") && (
          <SaveOrUndo
            changed={JSON.stringify(given) !== JSON.stringify(saved)}
            isValid
            saving={change.isPending}
            onUndo={() => setGiven(saved)}
          />
        )}
      </Form>
      {everybody ? <Dimmed>Everybody in your organization may see it.</Dimmed> : <WhoMaySee ways={[...others, ...byGroup]} />}
    </Stack>
  );
}

type Given = readonly { readonly id: string; readonly level: Level }[];
type GivenGroupsProps = Pick<KnownProps, "all" | "levels"> & {
  readonly given: Given;
  readonly onChange: (given: { id: string; level: Level }[]) => void;
};

function GivenGroups({ given, all, levels, onChange }: GivenGroupsProps) {
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const left = all.filter(({ id }) => given.every((one) => one.id !== id));
  if (all.length === 0) {
    return <Dimmed>Your company’s directory has sent no groups yet. It is connected under Security.</Dimmed>;
  }
  return (
    <Stack gap="xs">
      {given.map(({ id, level }) => (
        <Group key={id} gap="xs" wrap="nowrap">
          <Text flex={1} style={{ overflowWrap: "anywhere" }}>
            {names.get(id) ?? id}
          </Text>
          {levels.length > 0 && (
            <Select
              w={120}
              size="xs"
              aria-label={`Role of ${names.get(id) ?? id}`}
              data={levels}
              value={level}
              allowDeselect={false}
              onChange={(next) => onChange(given.map((one) => (one.id === id ? { id, level: next ?? level } : one)))}
            />
          )}
          <Button
            size="xs"
            variant="default"
            aria-label={`Remove ${names.get(id) ?? id}`}
            onClick={() => onChange(given.filter((one) => one.id !== id))}
          >
            Remove
          </Button>
        </Group>
      ))}
      <Select
        maw={320}
        aria-label="Add a group"
        placeholder={left.length === 0 ? "All groups are in" : "Add a group"}
        disabled={left.length === 0}
        searchable
        limit={50}
        nothingFoundMessage="No group of this name"
        data={left.map(({ id, name }) => ({ value: id, label: name }))}
        value={null}
        onChange={(id) => id !== null && onChange([...given, { id, level: "read" }])}
      />
    </Stack>
  );
}
