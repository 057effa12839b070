import fs from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import git, { type GitHttpRequest, type GitHttpResponse, type HttpClient } from 'isomorphic-git';
import type { GitSource } from '../../config/source-option.ts';
import { plainLine } from '../../core/directory/plain-text.ts';
import { connectionFailure } from '../../core/system/connection-failure.ts';
import { sentence } from '../../core/system/sentence.ts';
import { systemReason } from '../../core/system/system-error.ts';
import { noMemory, SourceError } from '../source-error.ts';
import { gitLimits } from './limits.ts';
import { basicOf } from './basic.ts';
import type { Entry, Repository } from './repository.ts';

/** Folders within one another. */
const mostDepth = 30;

const unknownAuthority = sentence`has a certificate of an authority that is not known here; --config-ca names a file with that of the authority`;

/** A repository that is read without the program git, over HTTPS alone. */
export class LibraryRepository implements Repository {
  readonly #source: GitSource;
  readonly #folder: string;
  readonly #http: HttpClient;
  /** Copied for each call: the library adds to what it is given. */
  readonly #headers: Readonly<Record<string, string>>;
  #trees = new Map<string, Awaited<ReturnType<typeof git.readTree>>['tree']>();

  private constructor(source: GitSource, folder: string, http: HttpClient, headers: Record<string, string>) {
    this.#source = source;
    this.#folder = folder;
    this.#http = http;
    this.#headers = headers;
  }

  /** `folder`: an empty one. Rejects with `SourceError`. */
  static async open(source: GitSource, folder: string): Promise<LibraryRepository> {
    const { protocol, user, token } = source;
    if (protocol !== 'https')
      throw new SourceError(
        `A source of git+${protocol} needs the program git, from version 2.31 on, and there is none on this machine. Install it, or use git+https.`,
      );
    const headers = token === undefined ? {} : { Authorization: await basicOf(user, token) };
    await git.init({ fs, gitdir: folder, bare: true });
    await git.addRemote({ fs, gitdir: folder, remote: 'origin', url: source.url });
    return new LibraryRepository(source, folder, await httpOf(source), headers);
  }

  async head(): Promise<string> {
    const { url, branch, shown } = this.#source;
    const ref = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
    const refs = await this.#do(() =>
      git.listServerRefs({ http: this.#http, url, headers: { ...this.#headers }, prefix: ref }),
    );
    const found = refs.find((one) => one.ref === ref);
    if (found !== undefined) return found.oid;
    throw new SourceError(
      branch === undefined
        ? `The repository ${shown} has no commit.`
        : `The repository ${shown} has no branch "${branch}".`,
    );
  }

  async fetch(): Promise<string> {
    const { url, branch } = this.#source;
    const { fetchHead } = await this.#do(() =>
      git.fetch({
        fs,
        http: this.#http,
        gitdir: this.#folder,
        url,
        headers: { ...this.#headers },
        ...(branch !== undefined && { ref: branch, remoteRef: `refs/heads/${branch}` }),
        singleBranch: true,
        depth: 1,
        tags: false,
      }),
    );
    return fetchHead ?? this.head();
  }

  async commit(id: string): Promise<Buffer> {
    const { object } = await this.#do(() =>
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- The bytes that the id is the hash of, which no other call gives.
      git.readObject({ fs, gitdir: this.#folder, oid: id, format: 'content' }),
    );
    return Buffer.from(object as Uint8Array);
  }

  async list(id: string): Promise<Entry[] | undefined> {
    const { path } = this.#source;
    const { commit } = await this.#do(() => git.readCommit({ fs, gitdir: this.#folder, oid: id }));
    let tree = commit.tree;
    for (const part of path.split('/').filter((one) => one !== '')) {
      const found = (await this.#tree(tree)).find((entry) => entry.path === part && entry.type === 'tree');
      if (found === undefined) return undefined;
      tree = found.oid;
    }
    const entries: Entry[] = [];
    await this.#add(tree, '', entries, 0);
    return entries;
  }

  async extract(id: string, entries: readonly Entry[], folder: string): Promise<void> {
    let bytes = 0;
    for (const entry of entries) {
      const { blob } = await this.#do(() => git.readBlob({ fs, gitdir: this.#folder, oid: entry.id }));
      bytes += blob.length;
      if (bytes > gitLimits.bytes)
        throw new SourceError(`The files of the folder have more than ${gitLimits.bytes} bytes together.`, {
          commit: id,
        });
      const file = join(folder, entry.path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, blob);
    }
  }

  async #tree(oid: string): Promise<Awaited<ReturnType<typeof git.readTree>>['tree']> {
    const known = this.#trees.get(oid);
    if (known !== undefined) return known;
    const { tree } = await this.#do(() => git.readTree({ fs, gitdir: this.#folder, oid }));
    this.#trees.set(oid, tree);
    return tree;
  }

  async #add(oid: string, above: string, entries: Entry[], depth: number): Promise<void> {
    if (depth > mostDepth) throw new SourceError(`Folders of the repository are deeper than ${mostDepth}.`);
    for (const { mode, path, oid: id, type } of await this.#tree(oid)) {
      // One tree may be in a thousand folders.
      if (entries.length > gitLimits.files) return;
      const below = above === '' ? path : `${above}/${path}`;
      if (type === 'tree') await this.#add(id, below, entries, depth + 1);
      else entries.push({ mode: mode.padStart(6, '0'), id, path: below, size: undefined });
    }
  }

  async #do<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof SourceError) throw cause;
      if (cause instanceof RangeError) throw new SourceError(noMemory, { cause });
      throw new SourceError(`The repository ${this.#source.shown} cannot be fetched: ${reasonOf(cause)}.`, {
        cause,
      });
    }
  }
}

function reasonOf(error: unknown): string {
  const { code, data } = error as {
    readonly code?: string;
    readonly data?: { readonly statusCode?: number };
  };
  if (code === 'HttpError') {
    const status = data?.statusCode ?? 0;
    if (status === 401 || status === 403)
      return 'the server does not take the token or the certificate, or asks for one';
    if (status >= 300 && status < 400) return 'the server leads to another address, which is not followed';
    return `the server answers with status ${status}`;
  }
  // What the library finds wrong has names of its own.
  if (code === undefined || code.endsWith('Error'))
    return `what the server sends is not as it should be (${plainLine((error as Error).message.split('\n')[0] ?? '', 200)})`;
  return `the server ${String(connectionFailure(error, unknownAuthority))}`;
}

/** Requests over HTTPS that verify the server, follow nothing, and take a bounded number of bytes in bounded time. */
async function httpOf({ ca, cert, key, shown }: GitSource): Promise<HttpClient> {
  const read = (path: string | undefined): Promise<Buffer> | undefined =>
    path === undefined
      ? undefined
      : readFile(path).catch((cause: unknown) => {
          throw new SourceError(`The file ${path} cannot be read: ${systemReason(cause)}.`, { cause });
        });
  const tls = { ca: await read(ca), cert: await read(cert), key: await read(key), rejectUnauthorized: true };
  const end = AbortSignal.timeout(gitLimits.within);
  const late = (): SourceError =>
    new SourceError(`The repository ${shown} was not read within ${gitLimits.within / 1000} seconds.`);
  return {
    async request({ url, method = 'GET', headers = {}, body }: GitHttpRequest): Promise<GitHttpResponse> {
      const sent: Uint8Array[] = [];
      for await (const piece of body ?? []) sent.push(piece);
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const asked: ClientRequest = process
        .getBuiltinModule('node:https')
        .request(url, { method, headers, signal: end, timeout: gitLimits.silence, ...tls }, resolve);
      asked.on('timeout', () =>
        asked.destroy(
          new SourceError(`The repository ${shown} sends nothing for ${gitLimits.silence / 1000} seconds.`),
        ),
      );
      asked.on('error', (error) => reject(end.aborted ? late() : error));
      asked.end(Buffer.concat(sent));
      const reply = await promise;
      return {
        url,
        method,
        statusCode: reply.statusCode ?? 0,
        statusMessage: reply.statusMessage ?? '',
        headers: Object.fromEntries(
          Object.entries(reply.headers).map(([name, value]) => [name, String(value)]),
        ),
        body: bounded(reply),
      };
    },
  };

  async function* bounded(reply: IncomingMessage): AsyncIterableIterator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const piece of reply as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > gitLimits.bytes)
          throw new SourceError(
            `The repository ${shown} sends more than ${gitLimits.bytes} bytes, which is more than is taken.`,
          );
        yield piece;
      }
    } catch (error) {
      throw end.aborted ? late() : error;
    }
  }
}
