import { Alert, Anchor, Center, Loader, Text, Title } from "@mantine/core";
import { Link, getRouteApi, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { completeSso } from "#features/auth/api/sso.ts";
import { takeTarget } from "#features/auth/company.ts";
import { useLoginPassage } from "#features/auth/login-passage.ts";
import { useApi } from "#http/api-context.ts";
import { useChange } from "#http/use-change.ts";
import { safeTarget, stringifySearch } from "#shell/routing.ts";
import { useTitle } from "#ui/page/use-title.ts";

const route = getRouteApi("/login/sso");

/** Where a company's provider sends the browser back to. */
export function SsoPage() {
  useTitle("Company sign-in");
  const search = route.useSearch();
  const api = useApi();
  const router = useRouter();
  const navigate = useNavigate();
  const { begin } = useLoginPassage();
  const complete = useChange({
    send: (query: string) => completeSso(query),
    onSuccess(answer) {
      const next = takeTarget();
      if ("access_token" in answer) {
        api.signIn(answer.access_token);
        router.history.replace(safeTarget(next));
      } else {
        const { partial_token: token, expires_in: seconds, methods = ["totp"] } = answer;
        begin({ token, until: Date.now() + seconds * 1000, email: "", methods });
        void navigate({ to: "/login/verify", search: { next }, replace: true });
      }
    },
  });
  const isSent = useRef(false);
  const send = useEffectEvent(() => complete.mutate(stringifySearch(search)));
  useEffect(() => {
    if (isSent.current) {
      return;
    }
    isSent.current = true;
    send();
    // Out of the address bar, the history and every screenshot, at once.
    window.history.replaceState(window.history.state, "", window.location.pathname);
  }, []);

  return (
    <>
      <Title order={1} mb="lg">
        Company sign-in
      </Title>
      {complete.error === null ? (
        <Center role="status">
          <Loader size="sm" mr="sm" aria-hidden="true" />
          <Text>Signing you in…</Text>
        </Center>
      ) : (
        <Alert color="red" role="alert" title="You were not signed in">
          {complete.error.message}
        </Alert>
      )}
      <Anchor component={Link} to="/login" size="sm" mt="lg" display="block" ta="center">
        Back to login
      </Anchor>
    </>
  );
}
