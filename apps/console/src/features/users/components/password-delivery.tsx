import "@mantine/core/styles/Radio.layer.css";
import { Radio, Stack } from "@mantine/core";

export type PasswordDelivery = "password" | "mail";

type PasswordDeliveryChoiceProps = {
  readonly label: string;
  readonly mailLabel: string;
  readonly delivery: PasswordDelivery;
  /** Undefined while it isn't known. */
  readonly mailWorks: boolean | undefined;
  readonly onChange: (delivery: PasswordDelivery) => void;
};

/** How someone without a password gets one. */
export function PasswordDeliveryChoice({ label, mailLabel, delivery, mailWorks, onChange }: PasswordDeliveryChoiceProps) {
  return (
    <Radio.Group label={label} value={delivery} onChange={onChange}>
      <Stack gap="xs" mt={6}>
        <Radio
          value="password"
          label="With a one-time password"
          description="You see it once and pass it on. They replace it at the first login."
        />
        <Radio
          value="mail"
          label={mailLabel}
          disabled={mailWorks !== true}
          description={
            mailWorks === false
              ? "Not available: no mail server is set up. Whoever runs Sightline can set SMTP_URL."
              : "They choose a password through its link; you never see it."
          }
        />
      </Stack>
    </Radio.Group>
  );
}
