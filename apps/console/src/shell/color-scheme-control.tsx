import { Center, type MantineColorScheme, SegmentedControl, VisuallyHidden, useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./color-scheme-control.module.css";

const SCHEMES: readonly { readonly value: MantineColorScheme; readonly label: ReactNode }[] = [
  { value: "light", label: <Choice icon={<IconSun size={15} aria-hidden="true" />} label="Light" /> },
  { value: "dark", label: <Choice icon={<IconMoon size={15} aria-hidden="true" />} label="Dark" /> },
  { value: "auto", label: <Choice icon={<IconDeviceDesktop size={15} aria-hidden="true" />} label="System" /> },
];

export function ColorSchemeControl() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({
    // Suppressing them would take a `<style>` element, which the content security policy forbids.
    keepTransitions: true,
  });
  return (
    <SegmentedControl
      className={classes.root ?? ""}
      size="xs"
      radius="md"
      fullWidth
      aria-label="Colour scheme"
      data={[...SCHEMES]}
      value={colorScheme}
      onChange={(value) => setColorScheme(value)}
    />
  );
}

function Choice({ icon, label }: { readonly icon: ReactNode; readonly label: string }) {
  return (
    <Center component="span" title={label}>
      {icon}
      <VisuallyHidden>{label}</VisuallyHidden>
    </Center>
  );
}
