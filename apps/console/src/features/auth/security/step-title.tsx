import { Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";

type StepTitleProps = { readonly title: string; readonly focus?: boolean; readonly children?: ReactNode };

/** The heading of a step that took the place of another; the focus moves to it, as it would on a page of its own. */
export function StepTitle({ title, focus = false, children }: StepTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focus) {
      heading.current?.focus();
    }
  }, [focus]);
  return (
    <div>
      <Title order={2} ref={heading} tabIndex={-1}>
        {title}
      </Title>
      {children !== undefined && (
        <Text component="div" c="dimmed" mt={4} maw={620}>
          {children}
        </Text>
      )}
    </div>
  );
}
