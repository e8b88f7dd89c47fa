import { TextInput, type TextInputProps } from "@mantine/core";

type EmailFieldProps = Omit<TextInputProps, "label" | "type" | "name" | "autoComplete"> & {
  /** Whether the browser offers passkeys here too. */
  readonly takesPasskeys?: boolean;
};

/** The address that an account logs in with, filled in by password managers. */
export function EmailField({ takesPasskeys = false, ...props }: EmailFieldProps) {
  const autoComplete = takesPasskeys ? "username webauthn" : "username";
  return (
    <TextInput
      {...props}
      label="E-mail"
      inputMode="email"
      name="email"
      autoComplete={autoComplete}
      size="md"
      required
      withAsterisk={false}
    />
  );
}
