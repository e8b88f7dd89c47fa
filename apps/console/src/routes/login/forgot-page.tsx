import { Anchor, Text, Title, Alert, Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Form } from "#ui/kit/form.tsx";
import { EmailField } from "#features/auth/components/email-field.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useLoginPassage } from "#features/auth/login-passage.ts";
import { useTitle } from "#ui/page/use-title.ts";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import { toClock } from "#ui/time/countdown.ts";
import { requestPasswordReset } from "#features/auth/api/password-reset.ts";
import { useWait } from "#features/auth/components/use-wait.ts";

export function ForgotPage() {
  useTitle("Forgot password");
  const { partial } = useLoginPassage();
  return (
    <>
      <Title order={1}>Forgot password</Title>
      <Text c="dimmed" mt={4} mb="lg">
        We will email you a link to choose a new password. Your 2FA stays as it is.
      </Text>
      <ForgotForm initialEmail={partial?.email ?? ""} />
      <Anchor component={Link} to="/login" size="sm" mt="lg" display="block" ta="center">
        Back to login
      </Anchor>
    </>
  );
}

/** Asks for a link by mail. What follows is the same whether there is such an account or not. */
function ForgotForm({ initialEmail }: { readonly initialEmail: string }) {
  const [email, setEmail] = useState(initialEmail);
  const wait = useWait();
  const request = useChange({ send: () => requestPasswordReset(email.trim()), onError: wait.waitAfter });

  if (request.isSuccess) {
    return (
      <Alert color="green" role="status" title="Check your e-mail">
        If {email.trim()} has an account here, a link is on its way. It sets a new password once, within 30 minutes.
      </Alert>
    );
  }
  return (
    <Form onSubmit={() => request.mutate()} noValidate={false}>
      {request.error !== null && (
        <Alert color="red" role="alert" title="No e-mail was sent">
          {wait.seconds > 0 ? `Too many tries. You can try again in ${toClock(wait.seconds)}.` : request.error.message}
        </Alert>
      )}
      <EmailField autoFocus {...typedInto(email, setEmail)} />
      <Button type="submit" size="md" fullWidth loading={request.isPending} disabled={wait.seconds > 0}>
        {wait.seconds > 0 ? `Wait ${toClock(wait.seconds)}` : "Send the link"}
      </Button>
    </Form>
  );
}
