import type { Tree } from "@sightline/code-index/contract";
import { IconFile, IconFolder } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Branch, fileQuery } from "#features/code/api/files.ts";
import { MarkdownText } from "#ui/markdown/markdown-text.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { listEntries } from "./folder-entries.ts";
import { PathCrumbs } from "./path-crumbs.tsx";
import header from "./file-header.module.css";
import classes from "./folder-view.module.css";

type FolderViewProps = {
  readonly tree: Tree;
  /** The folder's path with a slash at its end; empty for the repository itself. */
  readonly folder: string;
  readonly branch: Branch;
};

/** What is in a folder, and its README as it reads. */
export function FolderView({ tree, folder, branch }: FolderViewProps) {
  const entries = listEntries(tree.files, folder);
  const readme = entries.find(({ path, lines }) => /(?:^|\/)readme\.md$/iu.test(path) && (lines ?? 0) > 0)?.path;
  return (
    <>
      {folder !== "" && (
        <header className={header.file} data-folder>
          <h2 className={header.path}>
            <PathCrumbs repo={tree.repo} path={folder} branch={branch.ref} />
          </h2>
        </header>
      )}
      <div className={classes.folder} tabIndex={0} role="region" aria-label={`Content of ${folder === "" ? tree.repo : folder}`}>
        <ul className={classes.entries}>
          {entries.map(({ name, path, lines }) => (
            <li key={path}>
              <Link
                className={classes.entry}
                {...codeLink(tree.repo)}
                search={{ path, ...(branch.ref === undefined ? {} : { ref: branch.ref }) }}
              >
                {lines === undefined ? <IconFolder size={15} aria-hidden="true" /> : <IconFile size={15} aria-hidden="true" />}
                <span className={classes.name}>
                  <SafeText text={name} />
                </span>
                {lines !== undefined && lines > 0 && <span className={classes.lines}>{plural(lines, "line", "lines")}</span>}
              </Link>
            </li>
          ))}
        </ul>
        {readme !== undefined && <Readme branch={branch} path={readme} />}
      </div>
    </>
  );
}

function Readme({ branch, path }: { readonly branch: Branch; readonly path: string }) {
  const file = useQuery(fileQuery(branch, path));
  return file.data === undefined ? null : (
    <section className={classes.readme} aria-label={path}>
      <MarkdownText asDocument text={file.data.content} />
    </section>
  );
}
