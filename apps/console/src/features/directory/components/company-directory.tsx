import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import type { WithStepUp } from "#http/with-step-up.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { Failed } from "#ui/kit/failed-change.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { Section } from "#ui/kit/panel.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { endScimToken, type Group as DirectoryGroup, groupsQuery, makeScimToken, scimQuery } from "#features/directory/api/directory.ts";

/** The organization's directory by SCIM: its address, its token, and the groups that it keeps. */
export function CompanyDirectory({ withStepUp }: { readonly withStepUp: WithStepUp }) {
  const scim = useQuery(scimQuery);
  const groups = useQuery(groupsQuery);
  return (
    <Section title="Company directory" gap={4}>
      <Stack gap="md">
        <Dimmed maw={620}>
          Your directory, such as Entra ID or Okta, keeps accounts and groups here by SCIM 2.0. Whoever is taken out there is out here
          within seconds. It makes accounts only for e-mail domains that are verified under company sign-in.
        </Dimmed>
        {scim.data === undefined ? (
          <Unanswered query={scim} failed="The directory could not be looked up" loading={<LoadingRows rows={1} />} />
        ) : (
          <>
            <div>
              <Text size="sm" mb={6}>
                Tell your directory this address:
              </Text>
              <CopyableBlock text={scim.data.base_url} label="the directory's address" />
            </div>
            <Token token={scim.data.token} withStepUp={withStepUp} />
          </>
        )}
        {groups.data !== undefined && groups.data.length > 0 && <Groups groups={groups.data} />}
      </Stack>
    </Section>
  );
}

type TokenProps = {
  readonly token: { readonly created_at: string; readonly last_used_at: string | null } | null;
  readonly withStepUp: WithStepUp;
};

function Token({ token, withStepUp }: TokenProps) {
  const [asking, setAsking] = useState<"make" | "end">();
  const refreshes = [scimQuery.queryKey];
  const onSuccess = () => setAsking(undefined);
  const make = useChange({ send: (_, api) => withStepUp(() => api.request(makeScimToken)), refreshes, onSuccess });
  const end = useChange({ send: (_, api) => withStepUp(() => api.request(endScimToken)), refreshes, onSuccess });
  const secret = token === null ? undefined : make.data?.secret;
  return (
    <>
      {secret !== undefined && (
        <Alert color="green" role="status" title="Copy the token into your directory now: it is not shown again">
          <CopyableBlock text={secret} label="the directory's token" />
        </Alert>
      )}
      {token === null ? (
        <Dimmed>No token yet. Make one, and enter it in your directory beside the address.</Dimmed>
      ) : (
        <Text size="sm">
          Token made <TimeStamp at={token.created_at} />
          {token.last_used_at === null ? (
            ", not used yet"
          ) : (
            <>
              , used <TimeStamp at={token.last_used_at} />
            </>
          )}
        </Text>
      )}
      {asking === undefined && <Failed error={make.error} title="The token was not made" />}
      <Group gap="xs">
        <Button variant="default" loading={make.isPending} onClick={() => (token === null ? make.mutate() : setAsking("make"))}>
          {token === null ? "Make a token" : "Make a new token"}
        </Button>
        {token !== null && (
          <Button variant="default" onClick={() => setAsking("end")}>
            End the token
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={asking !== undefined}
        title={asking === "make" ? "Make a new token?" : "End the token?"}
        change={asking === "make" ? make : end}
        failed={asking === "make" ? "The token was not made" : "The token still works"}
        confirm={asking === "make" ? "Make a new token" : "End the token"}
        onConfirm={() => (asking === "make" ? make.mutate() : end.mutate())}
        onClose={() => setAsking(undefined)}
      >
        <Text>
          Your directory is refused with the present token at once{asking === "make" && ", until it has the new one"}. People and groups
          stay as they are: whoever is taken out there meanwhile stays in here.
        </Text>
      </ConfirmDialog>
    </>
  );
}

function Groups({ groups }: { readonly groups: readonly DirectoryGroup[] }) {
  return (
    <section aria-label="Groups">
      <Text fw={550} mb={6}>
        {groups.length === 1 ? "1 group" : `${groups.length} groups`}
      </Text>
      <Stack gap={6}>
        {groups.map(({ id, name, members }) => (
          <details key={id}>
            <summary>
              {name}, {members.length === 1 ? "1 person" : `${members.length} people`}
            </summary>
            <Dimmed pl="md">{members.length === 0 ? "Nobody yet." : shorten(members.map((member) => member.name))}</Dimmed>
          </details>
        ))}
      </Stack>
      <Dimmed mt="sm">What a group may see is set in a repository’s settings, and under a project’s members.</Dimmed>
    </section>
  );
}

const NAMED = 100;

function shorten(names: readonly string[]): string {
  return names.slice(0, NAMED).join(", ") + (names.length > NAMED ? ` and ${names.length - NAMED} more` : "");
}
