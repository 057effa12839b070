import MarkdownIt, { type Token } from 'markdown-it';
import { createElement, Fragment, useMemo, type ReactElement, type ReactNode } from 'react';
import { linkOf, plainText } from './plain-text.ts';

/** A longer text is cut: it would hold up the page. */
const longest = 200_000;

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });

/** What may be in the text. A heading stands below those of the page. */
const elements: Readonly<Record<string, string>> = {
  p: 'p',
  h1: 'h3',
  h2: 'h4',
  h3: 'h5',
  h4: 'h6',
  h5: 'h6',
  h6: 'h6',
  ul: 'ul',
  ol: 'ol',
  li: 'li',
  blockquote: 'blockquote',
  strong: 'strong',
  em: 'em',
  s: 's',
  table: 'table',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  th: 'th',
  td: 'td',
};

/** The text of a package as elements: no HTML of its own, no images, and links that lead to http and https alone. */
export function Markdown({ text, label }: { readonly text: string; readonly label: string }): ReactElement {
  const content = useMemo(() => nodesOf(parser.parse(plainText(text).slice(0, longest), {})), [text]);
  return (
    <div className="markdown" role="region" aria-label={label}>
      {content}
    </div>
  );
}

/** An element whose end has not come yet. */
interface Open {
  readonly token: Token | undefined;
  readonly children: ReactNode[];
}

function nodesOf(tokens: readonly Token[]): ReactNode[] {
  const root: Open = { token: undefined, children: [] };
  const stack = [root];
  for (const [key, token] of tokens.entries()) {
    const top = stack.at(-1) ?? root;
    if (token.nesting === 1) {
      stack.push({ token, children: [] });
    } else if (token.nesting === 0) {
      top.children.push(<Fragment key={key}>{leafOf(token)}</Fragment>);
    } else if (top !== root) {
      stack.pop();
      (stack.at(-1) ?? root).children.push(elementOf(top, key));
    }
  }
  return root.children;
}

function elementOf({ token, children }: Open, key: number): ReactNode {
  const { tag = '', hidden = false } = token ?? {};
  if (tag === 'a') {
    const href = linkOf(token?.attrGet('href') ?? undefined);
    return href === undefined ? (
      <Fragment key={key}>{children}</Fragment>
    ) : (
      <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    );
  }
  const element = elements[tag];
  if (element === undefined || hidden) return <Fragment key={key}>{children}</Fragment>;
  if (element !== 'table') return createElement(element, { key }, ...children);
  return (
    <div key={key} className="wide" tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

function leafOf({ type, content, children }: Token): ReactNode {
  switch (type) {
    case 'inline':
      return nodesOf(children ?? []);
    case 'code_inline':
      return <code>{content}</code>;
    case 'fence':
    case 'code_block':
      return (
        <pre tabIndex={0}>
          <code>{content}</code>
        </pre>
      );
    case 'hr':
      return <hr />;
    case 'hardbreak':
      return <br />;
    case 'softbreak':
      return '\n';
    default:
      // Text, and of an image what stands for it.
      return content;
  }
}
