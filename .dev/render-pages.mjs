// The pages of the documentation as HTML, beside the web page, so that a gateway serves them: docs/operate.html and so on.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';
import { anchorOf, readPages, withoutForeignLinks } from './pages.mjs';
import { inRoot } from './workspace.mjs';

const target = inRoot('host', 'dashboard', 'dist');
const index = 'docs/README.md';

const style = `
body { font: 15px/1.55 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff; }
h2 { border-bottom: 1px solid #ccc; margin-top: 2em; }
code { font-family: ui-monospace, monospace; font-size: .93em; }
pre { overflow-x: auto; padding: .6em .8em; border: 1px solid #ddd; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid #ddd; padding: .25em .6em; text-align: left; vertical-align: top; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818; } a { color: #8bf; } td, th, pre, h2 { border-color: #444; }
}`;

function render(markdown, page, pages) {
  const text = withoutForeignLinks(page, readFileSync(inRoot(page), 'utf8'), (path) => pages.has(path));
  const [, title = page] = /^# (.*)$/m.exec(text) ?? [];
  const body = markdown
    .render(text.replaceAll(/<!--[^]*?-->\n*/g, ''))
    .replaceAll(/(<a href="(?![a-z]+:)[^"#]*)\.md(?=["#])/g, '$1.html')
    .replaceAll(/<(h\d)>(.*?)<\/\1>/g, (_, tag, heading) => {
      const plain = heading.replaceAll(/<[^>]*>|&\w+;/g, '');
      return `<${tag} id="${anchorOf(plain)}">${heading}</${tag}>`;
    });
  const up = relative(dirname(page), index).replace(/\.md$/, '.html');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${style}</style></head><body>
<p><a href="${up}">All pages</a></p>
${body}</body></html>
`;
}

/** Writes the pages that have changed. */
export function renderPages() {
  // Only now: on a fresh machine this file is read before anything is installed.
  const MarkdownIt = createRequire(inRoot('package.json'))('markdown-it');
  const markdown = new MarkdownIt();
  // Those of the root are for the place where the sources are.
  const pages = new Set(readPages(inRoot()).filter((page) => page.includes('/')));
  for (const page of pages) {
    const html = render(markdown, page, pages);
    const file = `${target}/${page.replace(/\.md$/, '.html')}`;
    if (existsSync(file) && readFileSync(file, 'utf8') === html) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, html);
  }
}
