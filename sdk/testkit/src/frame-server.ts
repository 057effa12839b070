import { FrameListener, type Sender } from './frame-listener.ts';

export interface FrameServerOptions {
  /** See `FrameListener.length`. */
  length(bytes: Buffer): number;
  /** The correct answer. Undefined: none. */
  answer(frame: Buffer): Buffer | undefined;
}

/** What a device does instead of giving its usual answer: the pieces that it sends, each on its own. `send` sends something later. */
export type Script = (
  frame: Buffer,
  usual: () => Buffer,
  send: (bytes: Buffer) => void,
) => readonly Buffer[] | undefined;

/** A simulated device that answers frames, or does what its script says. */
export class FrameServer extends FrameListener {
  script: Script | undefined;
  /** The first 10 000 frames that were received. */
  readonly requests: Buffer[] = [];
  /** The first 10 000 answers that were sent. */
  readonly answers: Buffer[] = [];
  /** The port that the last frame came from. */
  peerPort = 0;
  readonly #options: FrameServerOptions;

  constructor(options: FrameServerOptions) {
    super();
    this.#options = options;
  }

  /** Answers nothing from now on. The function that is returned sends the last answer that was held back. */
  holdBack(): () => void {
    let late: (() => void) | undefined;
    this.script = (_frame, usual, send) => {
      const answer = usual();
      late = () => send(answer);
      return [];
    };
    return () => {
      late?.();
      late = undefined;
    };
  }

  protected length(bytes: Buffer): number {
    return this.#options.length(bytes);
  }

  protected take(frame: Buffer, { port, send }: Sender): void {
    this.peerPort = port;
    if (this.requests.length < 10_000) this.requests.push(Buffer.from(frame));
    const usual = (): Buffer => this.#options.answer(frame) ?? Buffer.alloc(0);
    const pieces = this.script === undefined ? undefined : this.script(frame, usual, send);
    for (const bytes of pieces ?? [usual()]) {
      if (bytes.length === 0) continue;
      if (this.answers.length < 10_000) this.answers.push(bytes);
      send(bytes);
    }
  }
}
