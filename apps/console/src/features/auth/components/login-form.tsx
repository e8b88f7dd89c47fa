import { Alert, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import { ApiError } from "#http/api-error.ts";
import { useApi } from "#http/api-context.ts";
import { formatDuration } from "#ui/format.ts";
import { logIn } from "#features/auth/api/log-in.ts";
import { useWait } from "./use-wait.ts";

export function LoginForm({ onLoggedIn }: { readonly onLoggedIn: () => void }) {
  const api = useApi();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const wait = useWait();
  const login = useMutation({
    mutationFn: () => logIn(api, { email: email.trim(), password }),
    onError: wait.waitAfter,
    onSuccess: (answer) => {
      if ("access_token" in answer) {
        onLoggedIn();
      }
    },
  });

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    login.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {login.data !== undefined && "two_factor_required" in login.data && (
          <Alert color="yellow" title="This account needs a second factor" role="alert">
            Your password is right, but this version of the console can't ask for the code yet, so it can't log you in. Use an account
            without a second factor.
          </Alert>
        )}
        {login.error !== null && (
          <Alert color="red" role="alert" title={titleOf(login.error)}>
            {wait.seconds > 0 ? `Too many tries. You can try again in ${formatDuration(wait.seconds * 1000)}.` : login.error.message}
          </Alert>
        )}
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          size="md"
          required
          withAsterisk={false}
          data-autofocus
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          size="md"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" size="md" fullWidth loading={login.isPending} disabled={wait.seconds > 0}>
          {wait.seconds > 0 ? `Wait ${formatDuration(wait.seconds * 1000)}` : "Log in"}
        </Button>
      </Stack>
    </form>
  );
}

function titleOf(error: Error): string {
  if (error instanceof ApiError && error.status === 429) {
    return "Please wait";
  }
  return error instanceof ApiError && error.status === 401 ? "That didn't match" : "Logging in failed";
}
