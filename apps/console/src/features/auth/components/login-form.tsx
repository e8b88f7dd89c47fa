import { Alert, Button, PasswordInput } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { Form } from "#ui/kit/form.tsx";
import { EmailField } from "./email-field.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { identity } from "#http/calls.ts";
import { useChange } from "#http/use-change.ts";
import { ApiError, hasStatus } from "#http/api-error.ts";
import { useApi } from "#http/api-context.ts";
import { toClock } from "#ui/time/countdown.ts";
import { rememberPassword } from "#features/auth/typed-password.ts";
import type { PartialLogin } from "#features/auth/login-passage.ts";
import { CompanySignIn } from "./company-sign-in.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { usePasskeyLogin } from "./use-passkey-login.ts";
import { useWait } from "./use-wait.ts";
import { loginAnswerSchema } from "@sightline/identity/contract";

type LoginFormProps = {
  readonly initialEmail: string;
  /** Where only this account will do. */
  readonly fixedEmail?: boolean;
  /** The way for those who don't know their password. */
  readonly forgot: ReactNode;
  /** Where to go once logged in, for those who do that elsewhere. */
  readonly next: string | undefined;
  readonly onLoggedIn: () => void;
  readonly onSecondStep: (partial: PartialLogin) => void;
};

export function LoginForm({ initialEmail, fixedEmail = false, forgot, next, onLoggedIn, onSecondStep }: LoginFormProps) {
  const api = useApi();
  const [email, setEmail] = useState(initialEmail);
  const [password, setPassword] = useState("");
  const passwordField = useRef<HTMLInputElement>(null);
  const wait = useWait();
  const login = useChange({
    send: () =>
      identity.post("/login/access-token", { body: { email: email.trim(), password }, anonymous: true, answer: loginAnswerSchema }),
    onError(error) {
      wait.waitAfter(error);
      if (hasStatus(error, 401)) {
        requestAnimationFrame(() => passwordField.current?.select());
      }
    },
    onSuccess(answer) {
      rememberPassword(password);
      if ("access_token" in answer) {
        api.signIn(answer.access_token);
        onLoggedIn();
      } else {
        const { partial_token: token, expires_in: seconds, methods = ["totp"] } = answer;
        onSecondStep({ token, until: Date.now() + seconds * 1000, email: email.trim(), methods });
      }
    },
  });
  // Where only one account will do, a passkey could be that of another.
  const passkey = usePasskeyLogin({ wanted: !fixedEmail, onLoggedIn });

  return (
    <Form onSubmit={() => login.mutate()} noValidate={false}>
      {login.error !== null && (
        <Alert color="red" role="alert" title={titleOf(login.error)}>
          {wait.seconds > 0 ? `Too many tries. You can try again in ${toClock(wait.seconds)}.` : login.error.message}
        </Alert>
      )}
      <EmailField
        autoFocus={initialEmail === ""}
        readOnly={fixedEmail}
        takesPasskeys={passkey !== undefined}
        {...typedInto(email, setEmail)}
      />
      <PasswordInput
        ref={passwordField}
        label="Password"
        name="password"
        autoComplete="current-password"
        size="md"
        required
        withAsterisk={false}
        autoFocus={initialEmail !== ""}
        // What a dialog looks for.
        data-autofocus={initialEmail !== "" || undefined}
        visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
        {...typedInto(password, setPassword)}
      />
      <Button type="submit" size="md" fullWidth loading={login.isPending} disabled={wait.seconds > 0}>
        {wait.seconds > 0 ? `Wait ${toClock(wait.seconds)}` : "Log in"}
      </Button>
      {passkey !== undefined && (
        <PasskeyButton asking={passkey} size="md" onClick={() => passkey.mutate(undefined)}>
          Use a passkey
        </PasskeyButton>
      )}
      <CompanySignIn email={email} next={next} />
      {forgot}
    </Form>
  );
}

function titleOf(error: Error): string {
  if (error instanceof ApiError && error.status === 429) {
    return "Please wait";
  }
  return error instanceof ApiError && error.status === 401 ? "That didn't match" : "Login failed";
}
