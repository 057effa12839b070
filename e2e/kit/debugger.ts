import { fileURLToPath } from 'node:url';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly params?: { readonly sourceMapURL?: string; readonly chunk?: string };
}

const gone = 'The process that was debugged is gone, or takes no debugger any more.';

/** What an editor does when it attaches to a Node process. */
export class Debugger implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;
  #chunks: string[] = [];
  isPaused = false;
  /** Paths of the sources that the source maps of loaded scripts lead to. */
  readonly sources: string[] = [];

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data)) as Message));
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error(gone));
    });
  }

  /** Undefined when nothing listens at this port of this machine. */
  static async attach(port: number): Promise<Debugger | undefined> {
    try {
      const reply = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(5000) });
      const [target] = (await reply.json()) as { webSocketDebuggerUrl: string }[];
      const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve);
        socket.addEventListener('error', reject);
        socket.addEventListener('close', reject);
      });
      const made = new Debugger(socket);
      await made.ask('Debugger.enable');
      return made;
    } catch {
      return undefined;
    }
  }

  /** Rejects when the process ends, or takes no debugger any more, before it answers. */
  ask(method: string, params: object = {}): Promise<unknown> {
    if (this.#socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error(gone));
    const id = ++this.#last;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  /** What is on the heap, as JSON. */
  async snapshot(): Promise<string> {
    this.#chunks = [];
    await this.ask('HeapProfiler.takeHeapSnapshot');
    return this.#chunks.join('');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => this.#socket.addEventListener('close', resolve));
    this.#socket.close();
    await closed;
  }

  #take({ id, method, result, params }: Message): void {
    if (id !== undefined) {
      this.#waiting.get(id)?.resolve(result);
      this.#waiting.delete(id);
    }
    if (method === 'HeapProfiler.addHeapSnapshotChunk') this.#chunks.push(params?.chunk ?? '');
    if (method === 'Debugger.paused') this.isPaused = true;
    if (method === 'Debugger.resumed') this.isPaused = false;
    const [, map] = /^data:application\/json;base64,(.*)$/.exec(params?.sourceMapURL ?? '') ?? [];
    if (method === 'Debugger.scriptParsed' && map !== undefined) this.#addSources(map);
  }

  #addSources(map: string): void {
    const { sources, sourceRoot } = JSON.parse(Buffer.from(map, 'base64').toString()) as {
      sources: string[];
      sourceRoot?: string;
    };
    for (const source of sources)
      if (sourceRoot?.startsWith('file:')) this.sources.push(fileURLToPath(new URL(source, sourceRoot)));
  }
}
