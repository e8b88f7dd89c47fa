import { Alert, Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconBuilding } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { providersQuery, startSso } from "#features/auth/api/sso.ts";
import { readDomain, rememberTarget } from "#features/auth/company.ts";
import { useChange } from "#http/use-change.ts";
import { Failed } from "#ui/kit/failed-change.tsx";

const PAUSE_MS = 300;

type CompanySignInProps = {
  /** What is typed as the address: its domain may have a provider of its own. */
  readonly email: string;
  /** Where to go once signed in. */
  readonly next: string | undefined;
};

/** Leads to the company's own provider, where there is one for the address, or for everybody here. */
export function CompanySignIn({ email, next }: CompanySignInProps) {
  const [domain] = useDebouncedValue(readDomain(email), PAUSE_MS);
  const listed = useQuery(providersQuery(undefined));
  const found = useQuery({ ...providersQuery(domain), enabled: domain !== undefined });
  const ofDomain = domain === undefined ? [] : (found.data?.providers ?? []);
  const providers = ofDomain.length > 0 ? ofDomain : (listed.data?.providers ?? []);
  const start = useChange({
    send: (providerId: string) => startSso(providerId),
    onSuccess({ continue_to: address }) {
      rememberTarget(next);
      window.location.assign(address);
    },
  });
  return providers.map(({ id, name, required }) => (
    <div key={id}>
      <Failed error={start.error} title="Company sign-in did not begin" mb="md" />
      {required && (
        <Alert mb="md" role="status">
          Accounts of {domain} log in with {name}. A password opens only those that are kept for emergencies, or that another organization
          made.
        </Alert>
      )}
      <Button
        size="md"
        fullWidth
        variant={required ? "filled" : "default"}
        leftSection={<IconBuilding size={18} aria-hidden="true" />}
        // Away from here: it stays busy until the other page is there.
        loading={start.isPending || start.isSuccess}
        onClick={() => start.mutate(id)}
      >
        Continue with {name}
      </Button>
    </div>
  ));
}
