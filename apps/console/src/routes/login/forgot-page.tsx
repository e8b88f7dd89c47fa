import { Anchor, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { ForgotForm } from "#features/auth/components/forgot-form.tsx";
import { useLoginPassage } from "#features/auth/login-passage.ts";
import { useTitle } from "#ui/page/use-title.ts";

export function ForgotPage() {
  useTitle("Forgot the password");
  const { partial } = useLoginPassage();
  return (
    <>
      <Title order={1}>Forgot the password</Title>
      <Text c="dimmed" mt={4} mb="lg">
        A link by mail lets you choose a new password. Your second factor stays as it is.
      </Text>
      <ForgotForm initialEmail={partial?.email ?? ""} />
      <Anchor component={Link} to="/login" size="sm" mt="lg" display="block" ta="center">
        Back to the login
      </Anchor>
    </>
  );
}
