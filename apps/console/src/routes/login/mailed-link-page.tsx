import { Alert, Anchor, Stack, Text, Title, Button, PasswordInput } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState, useRef } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { Form } from "#ui/kit/form.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useLoginPassage } from "#features/auth/login-passage.ts";
import { mailedToken } from "#features/auth/mailed-token.ts";
import { useTitle } from "#ui/page/use-title.ts";
import { useChange } from "#http/use-change.ts";
import { toClock } from "#ui/time/countdown.ts";
import { failureTitle } from "#ui/kit/failure-title.ts";
import { confirmPasswordReset } from "#features/auth/api/password-reset.ts";
import { problemWithNewPassword } from "#features/auth/new-password.ts";
import { useWait } from "#features/auth/components/use-wait.ts";

export function ResetPage() {
  return (
    <MailedLinkPage
      title="Choose a new password"
      description="This ends every session of your account. Then log in with the new password and your usual 2FA."
      submitLabel="Set the new password"
      renewal={
        <Anchor component={Link} to="/login/forgot" size="sm">
          Ask for a new link
        </Anchor>
      }
    />
  );
}

export function InvitationPage() {
  return (
    <MailedLinkPage
      title="Welcome to Sightline"
      description="You were invited. Choose a password, then log in with it and your e-mail address."
      submitLabel="Set the password"
      renewal={<Dimmed ta="center">The link doesn&apos;t work? Ask who invited you for a new one.</Dimmed>}
    />
  );
}

type MailedLinkPageProps = {
  readonly title: string;
  readonly description: string;
  readonly submitLabel: string;
  /** Shown for a link that was used, or is too old. */
  readonly renewal: ReactNode;
};

function MailedLinkPage({ title, description, submitLabel, renewal }: MailedLinkPageProps) {
  useTitle(title);
  const navigate = useNavigate();
  const { restart } = useLoginPassage();
  const [token] = useState(() => mailedToken(window.location.hash));
  useEffect(() => {
    // Out of the address bar, the history and every screenshot, at once.
    window.history.replaceState(window.history.state, "", window.location.pathname);
  }, []);

  function finish(): void {
    restart({ tone: "ok", title: "Your password is set", text: "Log in with it now." });
    void navigate({ to: "/login", replace: true });
  }

  return (
    <>
      <Title order={1}>{title}</Title>
      <Text c="dimmed" mt={4} mb="lg">
        {description}
      </Text>
      {token === undefined ? (
        <Alert color="yellow" role="alert" title="This link is incomplete">
          Open it again from the email. Each link works once, for a limited time.
        </Alert>
      ) : (
        <MailedPasswordForm token={token} submitLabel={submitLabel} onDone={finish} />
      )}
      <Stack mt="lg" gap="xs" align="center">
        {renewal}
        <Anchor component={Link} to="/login" size="sm">
          Back to login
        </Anchor>
      </Stack>
    </>
  );
}

type MailedPasswordFormProps = { readonly token: string; readonly submitLabel: string; readonly onDone: () => void };

/** A new password by the token of a mailed link; the field shows what is typed on demand, so once is enough. */
function MailedPasswordForm({ token, submitLabel, onDone }: MailedPasswordFormProps) {
  const [chosen, setChosen] = useState("");
  const [submitted, setSubmitted] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const wait = useWait();
  const confirm = useChange({ send: () => confirmPasswordReset(token, chosen), onError: wait.waitAfter, onSuccess: onDone });
  const problem = problemWithNewPassword(chosen);

  function submit(): void {
    setSubmitted(true);
    if (problem === undefined) {
      confirm.mutate();
    } else {
      field.current?.focus();
    }
  }

  return (
    <Form onSubmit={submit}>
      {confirm.error !== null && (
        <Alert color="red" role="alert" title={failureTitle(confirm.error, "The password was not set")}>
          {wait.seconds > 0 ? `Too many tries. You can try again in ${toClock(wait.seconds)}.` : confirm.error.message}
        </Alert>
      )}
      <PasswordInput
        ref={field}
        label="New password"
        description="12 characters or more; a few words make a good one"
        autoComplete="new-password"
        size="md"
        autoFocus
        visibilityToggleButtonProps={{ "aria-label": "Show the new password" }}
        {...typedInto(chosen, setChosen)}
        error={submitted ? problem : undefined}
      />
      <Button type="submit" size="md" fullWidth loading={confirm.isPending} disabled={wait.seconds > 0}>
        {wait.seconds > 0 ? `Wait ${toClock(wait.seconds)}` : submitLabel}
      </Button>
    </Form>
  );
}
