import type { ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { SafeText } from "#ui/words/safe-text.tsx";
import { cutAtTurns } from "#ui/words/turning-characters.ts";
import { isShownImage, safeUrl } from "./safe-url.ts";
import classes from "./markdown.module.css";

/**
 * Markdown as models and people write it. HTML in it stays the text it is, links lead only to http and https, and no image is fetched: those
 * that came in the text itself are shown, of others the address is. A document, such as a README, is read for what it says: of its HTML
 * only the words are left, and of an image what it shows.
 */
export function Markdown({ text, asDocument = false }: { readonly text: string; readonly asDocument?: boolean }) {
  return (
    <div className={classes.markdown}>
      <ReactMarkdown
        remarkPlugins={asDocument ? DOCUMENT_PLUGINS : PLUGINS}
        rehypePlugins={REHYPE_PLUGINS}
        components={asDocument ? DOCUMENT_COMPONENTS : COMPONENTS}
        urlTransform={safeUrl}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

type Node = { type: string; depth?: number; value?: string; tagName?: string; properties?: Record<string, string>; children?: Node[] };

/** A block of tags, as prompts are full of, is a paragraph: its lines are to be kept. */
function tagsAsText() {
  return (tree: Node): void => {
    tree.children =
      tree.children?.map((node) => (node.type === "html" ? { type: "paragraph", children: [{ ...node, type: "text" }] } : node)) ?? [];
  };
}

/** Leaves the words of a document's HTML; a heading stays one. */
function wordsOfTags() {
  return (tree: Node): void => {
    tree.children =
      tree.children?.flatMap((node) => {
        wordsOfTags()(node);
        if (node.type !== "html") {
          return node.type === "paragraph" && node.children?.length === 0 ? [] : [node];
        }
        const words = wordsOf(node.value ?? "");
        const text: Node = { type: "text", value: words };
        const level = /^\s*<h([1-6])\b/iu.exec(node.value ?? "")?.[1];
        if (words === "" || !BLOCKS.has(tree.type)) {
          // Within a line each tag is a node of its own, and what stands between two of them another.
          return words === "" ? [] : [text];
        }
        return [
          level === undefined ? { type: "paragraph", children: [text] } : { type: "heading", depth: Number(level), children: [text] },
        ];
      }) ?? [];
  };
}

/** What holds paragraphs. */
const BLOCKS: ReadonlySet<string> = new Set(["root", "blockquote", "listItem", "footnoteDefinition"]);

/** What a browser would show of some HTML. A tag or comment without an end takes the rest with it, as in a browser. */
function wordsOf(html: string): string {
  return html
    .replaceAll(/<!--(?:[\s\S]*?-->|[\s\S]*$)/gu, "")
    .replaceAll(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/giu, "")
    .replaceAll(/<\/?[a-z][^>]*(?:>|$)/giu, (tag) => ` ${shownBy(tag)} `)
    .replaceAll(/&(nbsp|amp|lt|gt|quot);/gu, (_, name: string) => ENTITIES[name] ?? "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

/** What stands for an image; nothing for another tag. */
function shownBy(tag: string): string {
  const alt = /^<img\b/iu.test(tag) ? /\balt=(?:"([^"]*)"|'([^']*)')/iu.exec(tag) : null;
  return alt?.[1] ?? alt?.[2] ?? "";
}

const ENTITIES: Readonly<Record<string, string>> = { nbsp: " ", amp: "&", lt: "<", gt: ">", quot: '"' };

/** Characters that turn the order of others stand in elements of their own, which show them. */
function turnsAsElements() {
  return (tree: Node): void => {
    if (tree.children === undefined) {
      return;
    }
    tree.children = tree.children.flatMap((node) => {
      turnsAsElements()(node);
      const pieces = node.type === "text" ? cutAtTurns(node.value ?? "") : undefined;
      return (
        pieces?.map(({ text, turns }): Node => {
          const piece = { type: "text", value: text };
          return turns === undefined ? piece : { type: "element", tagName: TURN, properties: {}, children: [piece] };
        }) ?? [node]
      );
    });
  };
}

/** HTML in a text stays text, so no element of it is called so. */
const TURN = "bdo";

const PLUGINS = [remarkGfm, tagsAsText];
const DOCUMENT_PLUGINS = [remarkGfm, wordsOfTags];
const REHYPE_PLUGINS = [turnsAsElements];

/** Headings of a text are none of the page's. */
function heading(level: number) {
  return ({ children }: { readonly children?: ReactNode }) => (
    <p className={classes.heading} data-level={level}>
      {children}
    </p>
  );
}

const COMPONENTS: Components = {
  [TURN]: ({ children }) => <SafeText text={typeof children === "string" ? children : ""} />,
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  a: ({ href, children }) =>
    href === undefined || href === "" ? (
      <span>{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ),
  img: ({ src, alt }) =>
    typeof src === "string" && isShownImage(src) ? (
      <img src={src} alt={alt === undefined || alt === "" ? "Image in the text" : alt} className={classes.image} />
    ) : (
      <span className={classes.address}>
        Image{alt === undefined || alt === "" ? "" : ` “${alt}”`}
        {typeof src === "string" && src !== "" && `: ${src}`}
      </span>
    ),
  pre: ({ children }) => (
    <pre tabIndex={0} aria-label="Code">
      {children}
    </pre>
  ),
  table: ({ children }) => (
    <div className={classes.table} tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  // A task of a list, which nobody ticks here.
  input: ({ checked }) => <span aria-label={checked === true ? "done" : "open"}>{checked === true ? "☑" : "☐"}</span>,
};

const DOCUMENT_COMPONENTS: Components = {
  ...COMPONENTS,
  img: ({ src, alt }) =>
    typeof src === "string" && isShownImage(src) ? (
      <img src={src} alt={alt === undefined || alt === "" ? "Image in the text" : alt} className={classes.image} />
    ) : (
      <span className={classes.shows} title={src}>
        {alt === undefined || alt === "" ? "Image" : alt}
      </span>
    ),
};
