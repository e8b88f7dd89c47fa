import type { GrepFile } from "@sightline/code-index/contract";
import { IconFile } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { SafeText } from "#ui/words/safe-text.tsx";
import { toBlocks } from "./grep-lines.ts";
import { useHighlighted } from "#features/code/highlight/use-highlighted.ts";
import { fileLink } from "#features/code/model/file-link.ts";
import { CodeLine } from "#features/code/highlight/code-line.tsx";
import { walkResults } from "./walk-results.ts";
import classes from "./search-results.module.css";

/** Files in order, each with its matching lines and what stands around them. The arrow keys walk through the lines. */
export function GrepResults({ files, ofBranch }: { readonly files: readonly GrepFile[]; readonly ofBranch: boolean }) {
  return (
    <ol className={classes.files} id="results">
      {files.map((file) => (
        <li key={`${file.repo} ${file.ref} ${file.path}`} className={classes.file}>
          <h2 className={`${classes.head} ${classes.path}`}>
            <IconFile size={15} aria-hidden="true" />
            <span className={classes.repo}>{file.repo}</span>
            <span>
              <SafeText text={file.path} />
            </span>
            <span className={classes.count}>{file.matches.length}</span>
          </h2>
          <Lines file={file} ofBranch={ofBranch} />
        </li>
      ))}
    </ol>
  );
}

function Lines({ file, ofBranch }: { readonly file: GrepFile; readonly ofBranch: boolean }) {
  const blocks = useMemo(() => toBlocks(file.matches), [file.matches]);
  const lines = useMemo(() => blocks.flat().map(({ text }) => text), [blocks]);
  const coloured = useHighlighted(lines, file.language);
  const tokensOf = new Map(blocks.flat().map(({ line }, index) => [line, coloured[index]]));
  return (
    <div className={classes.code} role="region" tabIndex={0} aria-label={`Lines of ${file.path} in ${file.repo}`}>
      {blocks.map((block) => (
        <div key={block[0]?.line} className={classes.span}>
          {block.map(({ line, text, ranges, matched }) => (
            <div key={line} className={classes.line} data-matched={matched || undefined}>
              {matched ? (
                <Link
                  data-result
                  className={classes.number}
                  aria-label={`Line ${line}`}
                  onKeyDown={walkResults}
                  {...fileLink({ ...file, start_line: line, end_line: line }, ofBranch)}
                >
                  {line}
                </Link>
              ) : (
                <span className={classes.number}>{line}</span>
              )}
              <span className={classes.text}>
                <CodeLine text={text} tokens={tokensOf.get(line)} ranges={ranges} />
              </span>
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
