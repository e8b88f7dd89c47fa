import { Autocomplete, Button, Group, Select } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type Project, type ProjectRole, projectRoleSchema } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "#ui/kit/form.tsx";
import { useChange } from "#http/use-change.ts";
import { type NamedMember, addMember, membersQuery, suggestionsQuery } from "#features/projects/api/members.ts";
import { ROLES, ROLE_CHOICES } from "#features/projects/project-roles.ts";
import classes from "./settings.module.css";

type AddMemberProps = { readonly project: Project; readonly members: readonly NamedMember[]; readonly isAdmin: boolean };

/** Adds a member by the whole e-mail address; admins are offered accounts as they type. */
export function AddMember({ project, members, isAdmin }: AddMemberProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<ProjectRole>("editor");
  const [problem, setProblem] = useState<string>();
  const { data: suggestions = [] } = useQuery(suggestionsQuery(email.trim(), isAdmin));
  const known = new Set(members.map((member) => member.user_id));
  const add = useChange({
    send: (_, api) => addMember(api, project.id, { email: email.trim(), role }),
    refreshes: [membersQuery(project.id).queryKey],
    onSuccess: () => setEmail(""),
    onRefreshed: ({ name }) =>
      notifications.show({ color: "green", title: "Added", message: `${name} is now ${ROLES[role].label.toLowerCase()}.` }),
  });

  function submit(): void {
    const wrong = problemOf(email, members);
    setProblem(wrong);
    if (wrong === undefined) {
      add.mutate();
    }
  }

  return (
    <Form onSubmit={submit}>
      <Group align="flex-start" gap="xs">
        <Autocomplete
          className={classes.grow}
          label="E-mail address"
          placeholder="grace@example.com"
          inputMode="email"
          maxLength={320}
          autoComplete="off"
          data={suggestions.filter(({ id }) => !known.has(id)).map((user) => user.email)}
          filter={({ options }) => options}
          renderOption={({ option }) => `${suggestions.find((user) => user.email === option.value)?.name ?? ""} · ${option.value}`}
          value={email}
          error={problem ?? add.error?.message}
          onChange={(next) => {
            setEmail(next);
            setProblem(undefined);
            add.reset();
          }}
        />
        <Select
          w={130}
          label="Role"
          data={ROLE_CHOICES}
          value={role}
          allowDeselect={false}
          onChange={(next) => setRole(projectRoleSchema.catch("viewer").parse(next))}
        />
        <Button type="submit" loading={add.isPending} className={classes.beside}>
          Add
        </Button>
      </Group>
    </Form>
  );
}

function problemOf(email: string, members: readonly NamedMember[]): string | undefined {
  const wanted = email.trim().toLowerCase();
  if (!/^\S+@\S+$/.test(wanted)) {
    return "Fill in an e-mail address, like grace@example.com";
  }
  return members.some(({ person }) => person?.email.toLowerCase() === wanted)
    ? "Already a member; change the role in the list below"
    : undefined;
}
