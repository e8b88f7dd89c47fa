import { Alert, Anchor, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi, useNavigate, useRouter } from "@tanstack/react-router";
import { loginOptionsQuery } from "#features/auth/api/password-reset.ts";
import { LoginForm } from "#features/auth/components/login-form.tsx";
import { useLoginPassage } from "#features/auth/login-passage.ts";
import { safeTarget } from "#shell/routing.ts";
import { useTitle } from "#ui/page/use-title.ts";

const route = getRouteApi("/login");

export function LoginPage() {
  useTitle("Log in");
  const { next } = route.useSearch();
  const router = useRouter();
  const navigate = useNavigate();
  const { partial, notice, begin } = useLoginPassage();
  const { data: options } = useQuery(loginOptionsQuery);
  return (
    <>
      <Title order={1} mb="lg">
        Log in
      </Title>
      {notice !== undefined && (
        <Alert color={notice.tone === "ok" ? "green" : "yellow"} mb="md" title={notice.title} role="status">
          {notice.text}
        </Alert>
      )}
      <LoginForm
        initialEmail={partial?.email ?? ""}
        forgot={
          options?.password_reset === true && (
            <Anchor component={Link} to="/login/forgot" size="sm" ta="center">
              Forgot password?
            </Anchor>
          )
        }
        next={next}
        onLoggedIn={() => router.history.push(safeTarget(next))}
        onSecondStep={(begun) => {
          begin(begun);
          void navigate({ to: "/login/verify", search: { next } });
        }}
      />
    </>
  );
}
