import { type MantineSpacing, Stack } from "@mantine/core";
import type { ComponentProps } from "react";

type FormProps = Omit<ComponentProps<"form">, "onSubmit"> & { readonly gap?: MantineSpacing; readonly onSubmit: () => void };

/** Fields below each other; what is wrong with them is said by the fields, not by the browser. */
export function Form({ gap = "md", onSubmit, children, ...form }: FormProps) {
  return (
    <form
      noValidate
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack gap={gap}>{children}</Stack>
    </form>
  );
}
