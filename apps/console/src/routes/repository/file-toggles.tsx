import { Button } from "@mantine/core";
import { PANELS } from "#features/code/file/panels.ts";
import type { FileAddress } from "./use-file-address.ts";

type FileTogglesProps = {
  readonly address: FileAddress;
  /** Undefined for a file that has no preview. */
  readonly isPreview: boolean | undefined;
};

/** The buttons of a file's header: what is shown beside it, and how. */
export function FileToggles({ address: { panel, blame, show, showSource }, isPreview }: FileTogglesProps) {
  return (
    <>
      {isPreview !== undefined && <Toggle label="Preview" isOn={isPreview} onClick={() => showSource(isPreview)} />}
      {PANELS.map(({ value, label }) => (
        <Toggle key={value} label={label} isOn={panel === value} onClick={() => show({ panel: panel === value ? undefined : value })} />
      ))}
      <Toggle label="Blame" isOn={blame !== undefined} onClick={() => show({ blame: blame === undefined ? "1" : undefined })} />
    </>
  );
}

function Toggle({ label, isOn, onClick }: { readonly label: string; readonly isOn: boolean; readonly onClick: () => void }) {
  return (
    <Button size="compact-xs" variant={isOn ? "light" : "default"} aria-pressed={isOn} onClick={onClick}>
      {label}
    </Button>
  );
}
