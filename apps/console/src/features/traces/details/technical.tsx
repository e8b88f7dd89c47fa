import { splitAttributes } from "./attributes.ts";
import { Fold } from "./fold.tsx";
import { JsonOf, type Of, isNothing } from "./payload.tsx";
import { Section } from "./section.tsx";
import { isShownAsJson, ValueView } from "./value-view.tsx";
import type { ReactNode } from "react";
import classes from "./step-details.module.css";

type AttributesProps = {
  readonly of: Of;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Facts that mean little to most people. */
  readonly children: ReactNode;
};

/** What an application noted beside a step, and, folded, what is for machines. */
export function Attributes({ of, attributes, children }: AttributesProps) {
  const { human, technical } = splitAttributes(attributes);
  return (
    <>
      {!isNothing(human) && (
        <Section title="Attributes" json={isShownAsJson(human) ? undefined : <JsonOf title="Attributes" value={human} of={of} />}>
          <ValueView title="Attributes" value={human} of={of} />
        </Section>
      )}
      <Fold title="Technical details">
        <dl className={classes.facts}>{children}</dl>
        {!isNothing(technical) && <ValueView title="Technical attributes" value={technical} of={of} />}
      </Fold>
    </>
  );
}
