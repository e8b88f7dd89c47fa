import { NativeSelect, Textarea } from "@mantine/core";
import { CHECK_EXAMPLES, readChecks, rowsOf } from "#features/datasets/typed-value.ts";
import monospace from "#ui/kit/monospace.module.css";
import { typedInto } from "#ui/kit/typed-into.ts";

type ChecksFieldProps = {
  /** The checks as they are typed. */
  readonly checks: string;
  readonly onChange: (checks: string) => void;
  readonly error: string | false;
  readonly readOnly?: boolean;
};

/** Checks as a JSON list, to which an example of each kind can be added. */
export function ChecksField({ checks, onChange, error, readOnly = false }: ChecksFieldProps) {
  return (
    <>
      <Textarea
        label="Checks"
        description="What must hold of every run, as a JSON list"
        readOnly={readOnly}
        spellCheck={false}
        classNames={{ input: monospace.input }}
        rows={rowsOf(checks)}
        {...typedInto(checks, onChange)}
        error={error}
      />
      {!readOnly && <AddCheck checks={checks} onChange={onChange} />}
    </>
  );
}

/** Adds an example of a check to the list, to be filled in. */
function AddCheck({ checks, onChange }: { readonly checks: string; readonly onChange: (checks: string) => void }) {
  const read = readChecks(checks);
  return (
    <NativeSelect
      aria-label="Add a check"
      disabled={"problem" in read}
      data={[{ value: "", label: "Add a check…" }, ...CHECK_EXAMPLES.map(({ label }) => ({ value: label, label }))]}
      value=""
      onChange={({ currentTarget: { value } }) => {
        const example = CHECK_EXAMPLES.find(({ label }) => label === value)?.check;
        if (example !== undefined && "value" in read) {
          onChange(JSON.stringify([...read.value, example], null, 2));
        }
      }}
    />
  );
}
