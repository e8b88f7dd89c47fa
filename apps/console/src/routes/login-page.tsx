import { Paper, Title } from "@mantine/core";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { LoginForm } from "#features/auth/components/login-form.tsx";
import { Brand } from "#shell/brand.tsx";
import { ColorSchemeControl } from "#shell/color-scheme-control.tsx";
import { safeTarget } from "#shell/routing.ts";
import { useTitle } from "#ui/use-title.ts";
import classes from "./login-page.module.css";

const route = getRouteApi("/login");

export function LoginPage() {
  useTitle("Log in");
  const { next } = route.useSearch();
  const router = useRouter();
  return (
    <main id="main" tabIndex={-1} className={classes.page}>
      <div className={classes.column}>
        <Brand />
        <Paper className={classes.card} radius="lg">
          <Title order={1} mb="lg">
            Log in
          </Title>
          <LoginForm onLoggedIn={() => router.history.push(safeTarget(next))} />
        </Paper>
        <div className={classes.scheme}>
          <ColorSchemeControl />
        </div>
      </div>
    </main>
  );
}
