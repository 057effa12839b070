import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ErrorCode, type Registry } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type {
  Collected,
  FetchedArchive,
  Found,
  PackageFacts,
  Received,
  RegistrySession,
  RenewedTrust,
  SignedVersion,
  Verified,
} from '../core/ports/registries.ts';
import { Refusal, sentence, type Sentence, sentenceOfRecord } from '../core/system/sentence.ts';
import { folderOf, isMirror } from './mirror/mirror-address.ts';
import type { Answer, Numbered, Question, RenewedFiles } from './messages.ts';

const cancelled = sentence`The question was cancelled.`;
/** Megabytes of its heap. What it reads is bounded beside that. */
const heapMegabytes = 256;
/** What it inherits of the environment; everything else stays with the gateway. */
const inherited = ['PATH', 'TZ', 'LANG', 'LC_ALL', 'NODE_EXTRA_CA_CERTS'] as const;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly progress?: (received: Received) => void;
}

/** Asks registries in a process of its own, which begins with the first question and ends with the session. */
export class RegistryProcess implements RegistrySession {
  readonly #signal: AbortSignal;
  readonly #waiting = new Map<number, Waiting>();
  readonly #abort = (): void => this.#end(new Refusal(ErrorCode.REGISTRY_UNREACHABLE, cancelled));
  readonly #trusted: () => Promise<readonly string[]>;
  readonly #readRenewed: () => Promise<RenewedTrust | undefined>;
  #renewed: Promise<RenewedTrust | undefined> | undefined;
  /** By the folder that each may use, empty for those that ask registries. */
  readonly #children = new Map<string, ChildProcess>();
  readonly #gone: Promise<void>[] = [];
  #count = 0;

  /** `trusted` reads the public keys whose signatures count, `renewed` what was renewed of what verifies packages. */
  constructor(
    signal: AbortSignal,
    trusted: () => Promise<readonly string[]>,
    renewed: () => Promise<RenewedTrust | undefined>,
  ) {
    this.#signal = signal;
    this.#trusted = trusted;
    this.#readRenewed = renewed;
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  search(registry: Registry, words: string, most: number, keyword?: string): Promise<Found> {
    return this.#ask({ op: 'search', registry, words, most, keyword }) as Promise<Found>;
  }

  package(registry: Registry, name: string): Promise<PackageFacts> {
    return this.#ask({ op: 'package', registry, name }) as Promise<PackageFacts>;
  }

  verify(registry: Registry, version: SignedVersion): Promise<Verified> {
    return this.#ask({ op: 'verify', registry, version }) as Promise<Verified>;
  }

  collect(registry: Registry, version: SignedVersion): Promise<Collected> {
    return this.#ask({ op: 'collect', registry, version }) as Promise<Collected>;
  }

  archive(
    registry: Registry,
    version: SignedVersion,
    progress: (received: Received) => void,
  ): Promise<FetchedArchive> {
    return this.#ask({ op: 'archive', registry, version }, progress) as Promise<FetchedArchive>;
  }

  /** Asks a repository of keys for newer files. `folder`: an empty one, for the work on them. */
  renew(registry: Registry, root: string, folder: string): Promise<RenewedFiles> {
    return this.#ask({ op: 'renew', registry, root, folder }) as Promise<RenewedFiles>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#end(new Refusal(ErrorCode.REGISTRY_UNREACHABLE, cancelled));
    await Promise.all(this.#gone);
  }

  async #ask(question: Question, progress?: (received: Received) => void): Promise<unknown> {
    const { op, registry } = question;
    const trusted = isMirror(registry) ? await this.#trusted() : [];
    const verifies = op === 'verify' || op === 'collect' || op === 'renew';
    const renewed = verifies ? await (this.#renewed ??= this.#readRenewed()) : undefined;
    const { promise, resolve, reject } = Promise.withResolvers();
    if (this.#signal.aborted) {
      reject(new Refusal(ErrorCode.REGISTRY_UNREACHABLE, cancelled));
      return promise;
    }
    const id = ++this.#count;
    this.#waiting.set(id, { resolve, reject, ...(progress && { progress }) });
    this.#childFor(question).send({ id, trusted, renewed, ...question } satisfies Numbered, (error) => {
      if (error !== null) this.#settle(id)?.reject(failed(sentence`cannot be asked`));
    });
    return promise;
  }

  #childFor(question: Question): ChildProcess {
    const rights = rightsFor(question);
    const { folder } = rights;
    const child = this.#children.get(folder) ?? this.#start(rights);
    this.#children.set(folder, child);
    return child;
  }

  #start(rights: Rights): ChildProcess {
    const gone = Promise.withResolvers<void>();
    this.#gone.push(gone.promise);
    const child = spawn(process.execPath, flags(rights), {
      env: Object.fromEntries(
        inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      ),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      cwd: '/',
    });
    child.on('message', (answer) => this.#take(answer as Answer));
    child.on('error', () => {
      this.#end(failed(sentence`could not be started`));
      gone.resolve();
    });
    child.on('exit', (code, signal) => {
      const isMemory = signal === 'SIGABRT' || code === 134;
      this.#end(
        isMemory
          ? new Refusal(
              ErrorCode.REGISTRY_REPLY_INVALID,
              sentence`The registry sends more than fits into the memory for it.`,
            )
          : failed(sentence`has ended`),
      );
      gone.resolve();
    });
    return child;
  }

  #take(answer: Answer): void {
    if ('progress' in answer) this.#waiting.get(answer.id)?.progress?.(answer.progress);
    else if ('result' in answer) this.#settle(answer.id)?.resolve(answer.result);
    else this.#settle(answer.id)?.reject(faultFrom(answer.fault));
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #end(fault: Fault): void {
    for (const id of this.#waiting.keys()) this.#settle(id)?.reject(fault);
    for (const child of this.#children.values()) child.kill('SIGKILL');
  }
}

function faultFrom({ code, reason }: Extract<Answer, { readonly fault: object }>['fault']): Fault {
  return typeof reason === 'string' ? new Fault(code, reason) : new Refusal(code, sentenceOfRecord(reason));
}

function failed(what: Sentence): Refusal {
  return new Refusal(ErrorCode.INTERNAL, sentence`The process that asks registries ${what}. Try again.`);
}

/** What a process may, beside reading its own code. */
interface Rights {
  /** It may be read; empty for none. */
  readonly folder: string;
  readonly mayWrite: boolean;
  readonly needsNetwork: boolean;
}

function rightsFor(question: Question): Rights {
  if (question.op === 'renew') return { folder: question.folder, mayWrite: true, needsNetwork: true };
  const { registry } = question;
  const folder = registry.url.startsWith('file:') ? fileURLToPath(folderOf(registry)) : '';
  return { folder, mayWrite: false, needsNetwork: folder === '' };
}

/**
 * It may read its own code, the folder of a mirror, which then needs no network, and no other file, and write none but in the folder of a renewal: what
 * a registry sends it cannot get at the gateway's keys through it.
 */
function flags({ folder, mayWrite, needsNetwork }: Rights): string[] {
  const isSource = import.meta.url.endsWith('.ts');
  const entry = fileURLToPath(new URL(`./registry-process.${isSource ? 'ts' : 'js'}`, import.meta.url));
  // What says that it is an ES module lies above it: in the workspace beside its folder, in the archive one higher.
  const code = ['*', '../package.json', '../../package.json'].map((path) => join(dirname(entry), path));
  const readable = isSource ? ['*'] : code;
  return [
    `--max-old-space-size=${heapMegabytes}`,
    '--permission',
    ...(needsNetwork && process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
    ...(folder === '' ? [] : [`--allow-fs-read=${folder}`]),
    ...(mayWrite ? [`--allow-fs-write=${folder}`] : []),
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...(isSource ? ['--conditions=source'] : []),
    entry,
  ];
}
