import { TextInput, type TextInputProps } from "@mantine/core";

/** The address that an account logs in with, filled in by password managers. */
export function EmailField(props: Omit<TextInputProps, "label" | "type" | "name" | "autoComplete">) {
  return <TextInput {...props} label="E-mail" type="email" name="email" autoComplete="username" size="md" required withAsterisk={false} />;
}
