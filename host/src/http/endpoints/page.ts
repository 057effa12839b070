import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context, Middleware } from '../request.ts';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** Scripts come from the gateway alone. Styles may stand in the page, because its widgets make some as they appear. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Compressed forms that the build puts beside a file, the smallest first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * The web page, at `/` and below `/assets/`, out of a folder that a build has filled. Undefined when it is not there:
 * a gateway works without its page.
 */
export async function webPage(folder: string): Promise<Middleware | undefined> {
  const files = await filesBelow(folder);
  if (!files.has('index.html')) return undefined;
  return async (ctx, next) => {
    const name = ctx.path === '/' ? 'index.html' : ctx.path.slice(1);
    if (!['GET', 'HEAD'].includes(ctx.method) || !files.has(name)) {
      await next();
      return;
    }
    await sendFile(ctx, folder, files, name);
  };
}

/** Paths of all files below a folder, with slashes. They are read once: only these can be requested. */
async function filesBelow(folder: string): Promise<ReadonlySet<string>> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(folder.length + 1).replaceAll('\\', '/'));
    return new Set(paths);
  } catch {
    return new Set();
  }
}

async function sendFile(
  ctx: Context,
  folder: string,
  files: ReadonlySet<string>,
  name: string,
): Promise<void> {
  const [encoding, ending] = encodings.find(
    ([encoding, ending]) => files.has(name + ending) && ctx.acceptsEncodings(encoding) === encoding,
  ) ?? [undefined, ''];
  ctx.set({
    'Content-Type': types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // The name of an asset changes with its content.
    'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    Vary: 'Accept-Encoding',
  });
  if (encoding !== undefined) ctx.set('Content-Encoding', encoding);
  ctx.body = await readFile(join(folder, name + ending));
}
