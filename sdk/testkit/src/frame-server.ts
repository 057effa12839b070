import { FrameListener, type Sender } from './frame-listener.ts';

export interface FrameServerOptions {
  /** Bytes of the frame at the beginning of `bytes`, 0 when more is needed. Throws for what is no frame. */
  length(bytes: Buffer): number;
  /** The answer of a sane device. Undefined: none. */
  answer(frame: Buffer): Buffer | undefined;
}

/** What a device does in place of answering as usual: the pieces that it sends, each on its own. `send` sends something later. */
export type Script = (
  frame: Buffer,
  usual: () => Buffer,
  send: (bytes: Buffer) => void,
) => readonly Buffer[] | undefined;

/** A simulated device that answers frames, or does what its script says. */
export class FrameServer extends FrameListener {
  script: Script | undefined;
  /** What was received, newest last; not filled without end. */
  readonly asked: Buffer[] = [];
  /** What was sent in answer to it. */
  readonly answered: Buffer[] = [];
  /** The port that the last frame came from. */
  peerPort = 0;
  readonly #options: FrameServerOptions;

  constructor(options: FrameServerOptions) {
    super();
    this.#options = options;
  }

  /** Answers nothing from now on. What this returns sends the last answer that was held back. */
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
    if (this.asked.length < 10_000) this.asked.push(Buffer.from(frame));
    const usual = (): Buffer => this.#options.answer(frame) ?? Buffer.alloc(0);
    const pieces = this.script === undefined ? undefined : this.script(frame, usual, send);
    for (const bytes of pieces ?? [usual()]) {
      if (bytes.length === 0) continue;
      if (this.answered.length < 10_000) this.answered.push(bytes);
      send(bytes);
    }
  }
}
