import { FilePanel, NameField } from "#features/code/file/file-panel.tsx";
import { HistoryPanel } from "#features/code/file/history-panel.tsx";
import { OutlinePanel } from "#features/code/file/outline-panel.tsx";
import type { Panel } from "#features/code/file/panels.ts";
import { SymbolPanel } from "#features/code/file/symbol-panel.tsx";
import { CodeRunsPanel } from "#features/traces/details/code-runs-panel.tsx";
import type { FileAddress, RepositoryFile } from "./use-file-address.ts";

type FileSideProps = RepositoryFile & { readonly panel: Panel; readonly commit: string; readonly address: FileAddress };

/** The panel that is open beside a file. */
export function FileSide({ panel, repository, path, commit, address }: FileSideProps) {
  const { ref, target, symbol, from, aim, show, showName } = address;
  const branch = { id: repository.id, ref };
  const repo = repository.full_name;
  return (
    <FilePanel panel={panel} onClose={() => show({ panel: undefined })}>
      {panel === "outline" && <OutlinePanel branch={branch} path={path} target={target} onTarget={aim} onName={(name) => showName(name)} />}
      {panel === "history" && <HistoryPanel branch={branch} path={path} lines={target} commit={commit} />}
      {panel === "runs" && (
        <CodeRunsPanel repo={repo} path={path} lines={target} commit={commit} onLine={(line) => aim({ start: line, end: line })} />
      )}
      {panel === "symbol" && <NameField key={`field ${symbol}`} name={symbol} onName={(name) => showName(name)} />}
      {panel === "symbol" && symbol !== undefined && (
        <SymbolPanel key={`${symbol} ${from}`} symbol={symbol} place={{ repo, ref, path, position: from }} />
      )}
    </FilePanel>
  );
}
